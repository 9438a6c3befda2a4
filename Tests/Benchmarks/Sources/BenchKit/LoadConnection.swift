import CBenchSupport
import Glibc

/// One connection of the driver: its rendered requests, and when each of them left.
final class LoadConnection {
    let descriptor: Int32
    /// Requests sent and not yet answered.
    private(set) var inFlight = 0
    /// Requests answered.
    private(set) var answered = 0
    private let workload: Workload
    private let depth: Int
    private let requests: UnsafeMutableRawBufferPointer
    /// Ring: answers come in request order, so the oldest is always the one answered.
    private var sentAt: [UInt64]
    private var oldest = 0
    /// The end of what was read before, so that a forbidden text cut in two is seen.
    private var tail: [UInt8] = [UInt8(ascii: "\n")]
    private let tailLimit: Int

    init(descriptor: Int32, workload: Workload, depth: Int) {
        self.descriptor = descriptor
        self.workload = workload
        self.depth = depth
        sentAt = Array(repeating: 0, count: depth)
        tailLimit = (workload.forbidden.map(\.count).max() ?? 1) - 1
        let length = workload.request.bytes.count
        requests = .allocate(byteCount: length * depth, alignment: 8)
        for index in 0..<depth {
            UnsafeMutableRawBufferPointer(
                rebasing: requests[(index * length)..<(index * length + length)]
            )
            .copyBytes(from: workload.request.bytes)
        }
    }

    deinit {
        requests.deallocate()
        close(descriptor)
    }

    /// Sends so many requests in one write, numbered from `number` on.
    func send(_ count: Int, from number: UInt64) throws(BenchFailure) {
        precondition(inFlight + count <= depth, "more requests in flight than the shape allows")
        let length = workload.request.bytes.count
        for index in 0..<count {
            let start = index * length
            workload.request.stamp(
                number + UInt64(index),
                into: UnsafeMutableRawBufferPointer(rebasing: requests[start..<(start + length)]))
        }
        let now = monotonicNanoseconds()
        for index in 0..<count { sentAt[(oldest + inFlight + index) % depth] = now }
        inFlight += count
        try sendAll(UnsafeRawBufferPointer(rebasing: requests[..<(count * length)]), to: descriptor)
    }

    /// Reads what is there.
    ///
    /// - Parameters:
    ///   - buffer: Scratch space; its first bytes are for what was kept of the last read.
    ///   - latencies: Gets the time of each answered request, in nanoseconds.
    /// - Returns: How many requests were answered.
    /// - Throws: If the server closed the connection, refused a request or answered too often.
    func receive(
        into buffer: UnsafeMutableRawBufferPointer, latencies: inout Histogram
    ) throws(BenchFailure) -> Int {
        buffer.copyBytes(from: tail)
        let count = recv(
            descriptor, buffer.baseAddress?.advanced(by: tail.count), buffer.count - tail.count,
            Int32(MSG_DONTWAIT))
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return 0 }
        guard count >= 0 else { throw failure("receive answers") }
        guard count > 0 else { throw BenchFailure("the server closed a connection under load") }
        let seen = UnsafeRawBufferPointer(rebasing: buffer[..<(tail.count + count)])
        try refuseForbidden(in: seen)
        let answers = UnsafeRawBufferPointer(rebasing: seen[tail.count...]).lineFeeds
        guard answers <= inFlight else {
            throw BenchFailure("the server answered more often than it was asked")
        }
        let now = monotonicNanoseconds()
        for _ in 0..<answers {
            latencies.record(now - sentAt[oldest])
            oldest = (oldest + 1) % depth
        }
        inFlight -= answers
        answered += answers
        tail.replaceSubrange(tail.indices, with: seen.suffix(tailLimit))
        return answers
    }

    private func refuseForbidden(in bytes: UnsafeRawBufferPointer) throws(BenchFailure) {
        for text in workload.forbidden
        where bench_find(bytes.baseAddress, bytes.count, text, text.count) >= 0 {
            let sample = String(decoding: bytes.prefix(600), as: UTF8.self)
            throw BenchFailure("the server refused a request: \(sample)")
        }
    }
}
