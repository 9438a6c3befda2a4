import CBenchSupport
import Glibc

/// What one server did under one shape of load.
public struct Measurement: Sendable, Codable, Hashable {
    /// Requests answered within the measured time.
    public var requests: Int
    /// Requests answered per second.
    public var rate: Double
    /// Median latency of a request in microseconds.
    public var p50: Double
    /// The latency in microseconds that 99 of 100 requests did not exceed.
    public var p99: Double
    /// Processor time of the server per request in microseconds; nil where nothing serves.
    public var serverCPU: Double?
    /// Heap allocations of the server per request, where they were counted.
    public var allocations: Double?
}

/// Keeps a fixed number of requests in flight on every connection, from one thread.
public struct LoadDriver {
    /// Where the server listens.
    public var socket: String
    /// What is sent.
    public var workload: Workload
    /// How much of it at once.
    public var shape: Shape
    /// Load before the clock starts, in seconds.
    public var warmUp: Double
    /// The measured time in seconds.
    public var seconds: Double
    /// The run ends when so many requests were sent, even within the time: a queue has a limit.
    public var requestLimit: Int

    /// Creates a driver.
    public init(
        socket: String, workload: Workload, shape: Shape, warmUp: Double, seconds: Double,
        requestLimit: Int = 1_900_000
    ) {
        self.socket = socket
        self.workload = workload
        self.shape = shape
        self.warmUp = warmUp
        self.seconds = seconds
        self.requestLimit = requestLimit
    }

    /// Loads the server, waits for every answer that is still due, and reports.
    ///
    /// - Parameter sample: Called when the clock starts and when it stops: figures of the server
    ///   whose growth belongs to the measured time.
    /// - Returns: The latencies and counts, and how many requests were acknowledged in all.
    /// - Throws: If any request is refused, the server goes away or is silent for ten seconds.
    public func run<Sample>(
        sampling sample: () throws(BenchFailure) -> Sample
    ) throws(BenchFailure) -> LoadResult<Sample> {
        var loop = try LoadLoop(driver: self)
        return try loop.run(sampling: sample)
    }
}

/// What a run of a ``LoadDriver`` brought.
public struct LoadResult<Sample> {
    /// Latencies of the measured time in nanoseconds.
    public var latencies: Histogram
    /// Length of the measured time in seconds.
    public var seconds: Double
    /// Every request acknowledged, warm-up and rest included.
    public var acknowledged: Int
    /// The sample taken when the clock started.
    public var before: Sample
    /// The sample taken when the clock stopped.
    public var after: Sample
}

/// The turning part of a ``LoadDriver``.
private struct LoadLoop: ~Copyable {
    private let driver: LoadDriver
    private let poll: Int32
    private var connections: [LoadConnection] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 64)
    private var latencies = Histogram()
    private var number = RequestTemplate.firstNumber

    init(driver: LoadDriver) throws(BenchFailure) {
        self.driver = driver
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard poll >= 0 else { throw failure("make an epoll instance") }
        for index in 0..<driver.shape.connections {
            guard let descriptor = try connectToSocket(at: driver.socket) else {
                throw failure("connect to '\(driver.socket)'")
            }
            connections.append(
                LoadConnection(
                    descriptor: descriptor, workload: driver.workload, depth: driver.shape.depth))
            var event = epoll_event(
                events: EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64(index)))
            guard epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
                throw failure("watch a connection")
            }
        }
    }

    deinit {
        close(poll)
        buffer.deallocate()
    }

    mutating func run<Sample>(
        sampling sample: () throws(BenchFailure) -> Sample
    ) throws(BenchFailure) -> LoadResult<Sample> {
        for connection in connections { try send(driver.shape.depth, on: connection) }
        _ = try turn(for: driver.warmUp)
        latencies.removeAll()
        let before = try sample()
        let seconds = try turn(for: driver.seconds)
        let after = try sample()
        let measured = latencies
        try drain()
        return LoadResult(
            latencies: measured, seconds: seconds,
            acknowledged: connections.reduce(0) { $0 + $1.answered },
            before: before, after: after)
    }

    /// Turns until the time is over or the limit of requests is reached.
    ///
    /// - Returns: The seconds it took.
    private mutating func turn(for seconds: Double) throws(BenchFailure) -> Double {
        let start = monotonicNanoseconds()
        let end = start + UInt64(seconds * 1e9)
        var now = start
        while now < end && sent < driver.requestLimit {
            try turnOnce(sending: true)
            now = monotonicNanoseconds()
        }
        return Double(now - start) / 1e9
    }

    private mutating func drain() throws(BenchFailure) {
        while connections.contains(where: { $0.inFlight > 0 }) { try turnOnce(sending: false) }
    }

    private mutating func turnOnce(sending: Bool) throws(BenchFailure) {
        var ready = [epoll_event](repeating: epoll_event(), count: 64)
        let count = epoll_wait(poll, &ready, Int32(ready.count), 10_000)
        if count < 0 && errno == EINTR { return }
        guard count >= 0 else { throw failure("wait for answers") }
        guard count > 0 else { throw BenchFailure("the server was silent for ten seconds") }
        for event in ready[..<Int(count)] {
            let connection = connections[Int(event.data.u64)]
            let answers = try connection.receive(into: buffer, latencies: &latencies)
            if sending && answers > 0 { try send(answers, on: connection) }
        }
    }

    private var sent: Int { Int(number - RequestTemplate.firstNumber) }

    private mutating func send(
        _ count: Int, on connection: LoadConnection
    ) throws(BenchFailure) {
        try connection.send(count, from: number)
        number += UInt64(count)
    }
}
