import CBenchSupport
import Glibc

/// One publisher and many subscribers, each on a connection of its own.
final class FanOutLoad {
    /// The publisher's request, and how answers and deliveries are recognised.
    struct Kind {
        /// The name of the server.
        var server: String
        /// The request that makes a change.
        var change: RequestTemplate
        /// The request that subscribes.
        var subscribe: String
        /// Line feeds that the reply to the subscription has.
        var subscribeLines: Int
        /// The beginning of each line of the answer to a change.
        var answerLines: [[UInt8]]
        /// Line feeds of one delivery.
        var deliveryLines: Int

        /// Durable adds, whose events go to passive subscriptions.
        static let daemon = Kind(
            server: "payqueued", change: Workload.add.request,
            subscribe: #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":"#
                + #"{"after":"now","passive":true}}"# + "\n",
            subscribeLines: 2, answerLines: [Array(#"{"jsonrpc":"2.0","id":"#.utf8)],
            deliveryLines: 1)

        /// Messages of Redis.
        ///
        /// - Parameters:
        ///   - bytes: Bytes of a message.
        ///   - subscribers: The number of subscribers.
        ///   - isDurable: Whether a list entry is stored with each message.
        /// - Returns: The kind.
        static func redis(bytes: Int, subscribers: Int, isDurable: Bool) -> Kind {
            let payload = "#" + String(repeating: "x", count: bytes - RequestTemplate.digits)
            let publish =
                "*3\r\n$7\r\nPUBLISH\r\n$5\r\nbench\r\n$\(bytes)\r\n" + payload + "\r\n"
            let record =
                "#"
                + String(
                    repeating: "x", count: BareLoop.recordBytes - RequestTemplate.digits)
            let push =
                "*3\r\n$5\r\nRPUSH\r\n$4\r\nlist\r\n$\(BareLoop.recordBytes)\r\n" + record + "\r\n"
            let answers = isDurable ? [":", ":\(subscribers)\r"] : [":\(subscribers)\r"]
            return Kind(
                server: "redis", change: RequestTemplate(isDurable ? push + publish : publish),
                subscribe: "*2\r\n$9\r\nSUBSCRIBE\r\n$5\r\nbench\r\n", subscribeLines: 6,
                answerLines: answers.map { Array($0.utf8) },
                deliveryLines: 7)
        }

        /// Bytes that Redis adds to a message of some hundred bytes.
        static let redisFrameBytes = "*3\r\n$7\r\nmessage\r\n$5\r\nbench\r\n$600\r\n\r\n".utf8.count
    }

    /// The subscribers of a measurement.
    static let subscribers = 200

    private let kind: Kind
    private let publisher: LineChannel
    private var readers: [Int32] = []
    private let poll: Int32
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
    /// Line feeds that each reader has received since it subscribed.
    private var lines: [Int]
    /// Bytes that all readers have received since they subscribed.
    private var bytes = 0
    private var number = RequestTemplate.firstNumber
    private var answered: UInt64 = 0
    private var answerLine = 0
    private var sentAt: [UInt64] = []
    private var oldest = 0
    private var latencies = Histogram()

    /// Connects all and waits until each has its subscription.
    init(socket: String, kind: Kind) throws(BenchFailure) {
        self.kind = kind
        publisher = try LineChannel(socket: socket, server: kind.server)
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        lines = Array(repeating: 0, count: Self.subscribers)
        guard poll >= 0 else { throw failure("make an epoll instance") }
        try watch(publisher.descriptor, as: Self.subscribers)
        for index in 0..<Self.subscribers {
            guard let descriptor = try connectToSocket(at: socket) else {
                throw failure("connect to '\(socket)'")
            }
            readers.append(descriptor)
            try sendAll(Array(kind.subscribe.utf8), to: descriptor)
            try watch(descriptor, as: index)
        }
        while lines.contains(where: { $0 < kind.subscribeLines }) { try turn() }
        lines = Array(repeating: 0, count: Self.subscribers)
        bytes = 0
    }

    deinit {
        for descriptor in readers { close(descriptor) }
        close(poll)
        buffer.deallocate()
    }

    private func watch(_ descriptor: Int32, as index: Int) throws(BenchFailure) {
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64(index)))
        guard epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
            throw failure("watch a connection")
        }
    }

    /// The bytes of an average delivery.
    var deliveredBytes: Int {
        let deliveries = lines.reduce(0, +) / kind.deliveryLines
        return bytes / max(1, deliveries)
    }

    /// Publishes for a while, and waits for every delivery.
    ///
    /// - Parameters:
    ///   - window: The changes that are sent and not answered at any time.
    ///   - seconds: The time for publishing, after a quarter of that as warm-up.
    ///   - process: The server whose processor time is measured.
    /// - Returns: The rate of deliveries; latencies and processor time are those of a change.
    /// - Throws: An answer is wrong, or a subscriber did not receive each change once.
    func measure(
        window: Int, seconds: Double, on process: ServerProcess
    ) throws(BenchFailure) -> Measurement {
        try run(window: window, seconds: seconds / 4)
        latencies.removeAll()
        let before = try CostSample(of: process)
        let start = monotonicNanoseconds()
        let first = number
        try run(window: window, seconds: seconds)
        let elapsed = BenchKit.seconds(since: start)
        var result = Measurement(
            latencies: latencies, seconds: elapsed, from: before, to: try CostSample(of: process))
        result.rate = Double(Int(number - first) * Self.subscribers) / elapsed
        return result
    }

    private var changes: UInt64 { number - RequestTemplate.firstNumber }

    private func run(window: Int, seconds: Double) throws(BenchFailure) {
        let end = monotonicNanoseconds() + UInt64(seconds * 1e9)
        while monotonicNanoseconds() < end {
            publish(window - Int(changes - answered))
            try turn()
        }
        while answered < changes
            || lines.contains(where: { $0 < Int(changes) * kind.deliveryLines })
        {
            try turn()
        }
        guard lines.allSatisfy({ $0 == Int(changes) * kind.deliveryLines }) else {
            throw BenchFailure("a subscriber received more than was published")
        }
    }

    private func publish(_ count: Int) {
        guard count > 0 else { return }
        let now = monotonicNanoseconds()
        for _ in 0..<count {
            publisher.append(kind.change, number)
            sentAt.append(now)
            number += 1
        }
    }

    private func turn() throws(BenchFailure) {
        // A rest that the connection does not take now leaves with a later turn, after some answers.
        try publisher.flush()
        var ready = [epoll_event](repeating: epoll_event(), count: 256)
        let count = epoll_wait(poll, &ready, Int32(ready.count), 10_000)
        if count < 0 && errno == EINTR { return }
        guard count > 0 else { throw BenchFailure("\(kind.server) was silent for ten seconds") }
        for event in ready[..<Int(count)] {
            let index = Int(event.data.u64)
            if index == Self.subscribers { try takeAnswers() } else { try read(index) }
        }
    }

    private func read(_ index: Int) throws(BenchFailure) {
        let count = try receive(buffer, from: readers[index], of: kind.server)
        bytes += count
        lines[index] += UnsafeRawBufferPointer(rebasing: buffer[..<count]).lineFeeds
    }

    private func takeAnswers() throws(BenchFailure) {
        let now = monotonicNanoseconds()
        try publisher.receive { line throws(BenchFailure) in
            guard line.starts(with: kind.answerLines[answerLine]), !line.contains(#""error":"#)
            else {
                throw BenchFailure("\(kind.server) refused a change: \(line.text)")
            }
            answerLine = (answerLine + 1) % kind.answerLines.count
            guard answerLine == 0 else { return }
            answered += 1
            latencies.record(now - sentAt[oldest])
            oldest += 1
        }
        if oldest > 1_024 {
            sentAt.removeFirst(oldest)
            oldest = 0
        }
    }
}
