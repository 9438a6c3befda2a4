import Glibc

/// Jobs through beanstalkd: `put`, `reserve`, `delete`. One connection puts, the other one reserves and
/// deletes, as the two connections of a ``PurchaseLoad``.
///
/// A reserve waits for a job and blocks the requests behind it. The load therefore has no more reserves
/// waiting than jobs are ready, or one if none is, and sends each delete before the next reserve.
final class JobLoad: CycleLoad {
    var latencies = Histogram()
    private(set) var underWay = 0
    private let producer: LineChannel
    private let worker: LineChannel
    private let template: RequestTemplate
    private var number = RequestTemplate.firstNumber
    private var startedAt: [UInt64: UInt64] = [:]
    /// The numbers of the jobs that are being deleted, the oldest first.
    private var deleting: [UInt64] = []
    private var oldestDelete = 0
    /// Jobs that were put and not reserved.
    private var ready = 0
    private var waitingReserves = 0
    /// The identifier of the reserved job whose body is the next line.
    private var reserved: String?

    /// Connects.
    init(socket: String) throws(BenchFailure) {
        producer = try LineChannel(socket: socket, server: "beanstalkd")
        worker = try LineChannel(socket: socket, server: "beanstalkd")
        let bytes = BareLoop.recordBytes
        template = RequestTemplate(
            "put 0 0 600 \(bytes)\r\n#"
                + String(repeating: "x", count: bytes - RequestTemplate.digits) + "\r\n")
    }

    /// Starts the peer with a log that is synced after each change.
    static func server(_ path: String, in directory: String) throws(BenchFailure) -> ServerProcess {
        let log = directory + "/jobs"
        guard mkdir(log, 0o700) == 0 else { throw failure("make '\(log)'") }
        let socket = directory + "/s"
        return try ServerProcess(
            [path, "-f", "0", "-b", log, "-l", "unix:" + socket], socket: socket,
            log: directory + "/log")
    }

    func begin() {
        producer.append(template, number)
        startedAt[number] = monotonicNanoseconds()
        underWay += 1
        number += 1
    }

    func turn() throws(BenchFailure) {
        // The deletes were appended while the answers were read, which is before these reserves.
        while waitingReserves < max(ready, 1) {
            worker.outgoing.append(contentsOf: "reserve\r\n".utf8)
            waitingReserves += 1
        }
        let isReadable = try LineChannel.wait(for: [producer, worker])
        if isReadable[0] {
            try producer.receive { line throws(BenchFailure) in
                guard line.starts(with: "INSERTED ") else {
                    throw BenchFailure("beanstalkd refused a job: \(line.text)")
                }
                ready += 1
            }
        }
        if isReadable[1] {
            try worker.receive { line throws(BenchFailure) in try take(line) }
        }
    }

    private func take(_ line: UnsafeRawBufferPointer) throws(BenchFailure) {
        if let id = reserved {
            reserved = nil
            worker.outgoing.append(contentsOf: "delete \(id)\r\n".utf8)
            deleting.append(line.leadingNumber)
        } else if line.starts(with: "RESERVED ") {
            reserved = String(line.rest(after: "RESERVED ")?.leadingNumber ?? 0)
            waitingReserves -= 1
            ready -= 1
        } else if line.starts(with: "DELETED"), oldestDelete < deleting.count,
            let start = startedAt.removeValue(forKey: deleting[oldestDelete])
        {
            latencies.record(monotonicNanoseconds() - start)
            underWay -= 1
            oldestDelete += 1
            if oldestDelete == 1_024 {
                deleting.removeFirst(oldestDelete)
                oldestDelete = 0
            }
        } else {
            throw BenchFailure("beanstalkd refused a request: \(line.text)")
        }
    }
}
