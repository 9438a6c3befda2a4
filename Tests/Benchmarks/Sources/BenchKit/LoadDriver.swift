import CBenchSupport
import Glibc

/// The figures of one server under one shape of load.
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
    /// Processor time of the driver as a part of the measured time; nil where nothing serves.
    public var driverShare: Double?
}

/// Processor time of a server and of the driver, taken at one moment.
public struct CostSample: Sendable {
    /// Seconds of the server.
    var server: Double
    /// Seconds of this process.
    var driver: Double

    /// Reads both.
    public init(of server: ServerProcess) throws(BenchFailure) {
        self.server = try server.processorSeconds()
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        let micros = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        driver = Double(seconds) + Double(micros) / 1e6
    }
}

extension Measurement {
    /// Sums up a measured time, with the processor time of both sides.
    init(latencies: Histogram, seconds: Double, from before: CostSample, to after: CostSample) {
        self.init(latencies: latencies, seconds: seconds)
        serverCPU = (after.server - before.server) * 1e6 / Double(max(1, latencies.count))
        driverShare = (after.driver - before.driver) / seconds
    }
}

extension LoadResult where Sample == CostSample {
    /// The measured time, summed up.
    var measurement: Measurement {
        Measurement(latencies: latencies, seconds: seconds, from: before, to: after)
    }
}

/// Keeps a fixed number of requests in flight on every connection, from one thread.
public struct LoadDriver {
    /// Where the server listens.
    public var socket: String
    /// The request.
    public var workload: Workload
    /// The number of requests at once.
    public var shape: Shape
    /// Load before the clock starts, in seconds.
    public var warmUp: Double
    /// The measured time in seconds.
    public var seconds: Double
    /// The run ends when so many requests were sent, even within the time: a queue has a limit.
    public var requestLimit: Int
    /// The number of the first request; a key is used once.
    public var firstNumber: UInt64

    /// Creates a driver.
    public init(
        socket: String, workload: Workload, shape: Shape, warmUp: Double, seconds: Double,
        requestLimit: Int = 1_900_000, firstNumber: UInt64 = RequestTemplate.firstNumber
    ) {
        self.socket = socket
        self.workload = workload
        self.shape = shape
        self.warmUp = warmUp
        self.seconds = seconds
        self.requestLimit = requestLimit
        self.firstNumber = firstNumber
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
        var loop = try LoadLoop(driver: self, reader: nil)
        return try loop.run(sampling: sample)
    }

    /// The same while a subscriber reads, between the answers and from the same thread.
    func run<Sample>(
        with reader: BacklogReader, sampling sample: () throws(BenchFailure) -> Sample
    ) throws(BenchFailure) -> LoadResult<Sample> {
        var loop = try LoadLoop(driver: self, reader: reader)
        return try loop.run(sampling: sample)
    }
}

/// The result of a run of a ``LoadDriver``.
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
    private var number: UInt64
    private let reader: BacklogReader?
    private static let readerIndex = UInt64.max

    init(driver: LoadDriver, reader: BacklogReader?) throws(BenchFailure) {
        self.driver = driver
        self.reader = reader
        number = driver.firstNumber
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
        guard let reader else { return }
        var event = epoll_event(
            events: EPOLLIN.rawValue, data: epoll_data_t(u64: Self.readerIndex))
        guard epoll_ctl(poll, EPOLL_CTL_ADD, reader.descriptor, &event) == 0 else {
            throw failure("watch a subscriber")
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
            if event.data.u64 == Self.readerIndex {
                try reader?.receive()
                continue
            }
            let connection = connections[Int(event.data.u64)]
            let answers = try connection.receive(into: buffer, latencies: &latencies)
            if sending && answers > 0 { try send(answers, on: connection) }
        }
    }

    private var sent: Int { Int(number - driver.firstNumber) }

    private mutating func send(
        _ count: Int, on connection: LoadConnection
    ) throws(BenchFailure) {
        try connection.send(count, from: number)
        number += UInt64(count)
    }
}
