import CBenchSupport
import Glibc

/// The signed history of many orders, and the verification of a long log.
final class HistoryRows: RowGroup {
    private let options: Options
    private var log: TemporaryDirectory?
    private static let pageLimit = 100

    init(_ options: Options) {
        self.options = options
    }

    var title: String { "signed history, verification of a log" }

    func measure(into report: inout Report) throws(BenchFailure) {
        try measureHistory(into: &report)
        try measureLog(into: &report)
    }

    private func measureHistory(into report: inout Report) throws(BenchFailure) {
        try Server.payqueued(options.payqueued).withFresh(in: options.directory) {
            process, directory throws(BenchFailure) in
            try PurchaseLoad(socket: process.socket).complete(options.orders, window: 64)
            let caller = try Caller(socket: process.socket)
            var pages: [String] = []
            var next: String?
            let start = monotonicNanoseconds()
            repeat {
                let page = next.map { #","page":"\#($0)""# } ?? ""
                let params = #"{"limit":\#(Self.pageLimit)\#(page)}"#
                let reply = try caller.call("signedHistory", params).reply
                guard let page = reply.withBytes({ $0.text(after: #""jws":""#) }) else {
                    throw BenchFailure("no signed history: \(reply)")
                }
                pages.append(page)
                next = reply.withBytes { $0.text(after: #""next":""#) }
            } while next != nil
            let elapsed = seconds(since: start)
            let due = (options.orders + Self.pageLimit - 1) / Self.pageLimit
            guard pages.count == due else {
                throw BenchFailure(
                    "the history of \(options.orders) orders has \(pages.count) pages, not \(due)")
            }
            let name = "\(options.orders) orders"
            report.record(
                Row(
                    .p10, "sign and page the history of \(name)", unit: "ms", decimals: 1),
                Reading(elapsed * 1e3))
            report.record(
                Row(.p10, "the same for each page of \(Self.pageLimit)", unit: "ms", decimals: 2),
                Reading(elapsed * 1e3 / Double(pages.count)))
            guard let payqueuectl = options.payqueuectl else { return }
            let file = directory + "/history.jws"
            try write(pages.joined(separator: "\n") + "\n", toFile: file)
            let verified = try Helper.run(
                [payqueuectl, "history", "verify", file, "--json", "--socket", process.socket],
                log: directory + "/verify")
            try checkVerified(try contents(ofFile: directory + "/verify"), pages: pages.count)
            report.record(
                Row(.p10, "verify the history of \(name)", unit: "ms", decimals: 1),
                Reading(verified * 1e3))
        }
    }

    /// Compares the output of the verification, a JSON document for each page, with what was asked for.
    private func checkVerified(_ output: String, pages: Int) throws(BenchFailure) {
        let verified = output.split(separator: "\n").count
        let orders = output.split(separator: #""order_id":"#).count - 1
        guard verified == pages, orders == options.orders else {
            throw BenchFailure(
                "verified were \(verified) of \(pages) pages and \(orders) of \(options.orders) orders"
            )
        }
    }

    private func measureLog(into report: inout Report) throws(BenchFailure) {
        guard let payqueuectl = options.payqueuectl else { return }
        let scratch = if let log { log } else { try makeLog() }
        log = scratch
        let state = scratch.path + "/state"
        let files = try logFiles(in: state)
        // Both read from the page cache.
        _ = try Self.checksum(of: files, in: state)
        let own = try Helper.run(
            [payqueuectl, "journal", "verify", "--deep", state], log: scratch.path + "/verify")
        let start = monotonicNanoseconds()
        let bytes = try Self.checksum(of: files, in: state)
        let loop = seconds(since: start)
        report.record(
            Row(
                .p10, "journal verify, \(bytes >> 20) MiB", unit: "s",
                peer: "read and CRC-32C", goal: .ratio(.atMost, 1.5), decimals: 2),
            Reading(own, peer: loop))
    }

    private func makeLog() throws(BenchFailure) -> TemporaryDirectory {
        let scratch = try TemporaryDirectory(in: options.directory)
        let flags = try Server.roomyFlags(in: scratch.path, keepingLog: true)
        let process = try Server.payqueued(options.payqueued).start(
            in: scratch.path, flags: flags)
        defer { process.end() }
        var number = RequestTemplate.firstNumber
        while try logFiles(in: scratch.path + "/state").reduce(0, { $0 + $1.bytes })
            < options.logMebibytes << 20
        {
            number += UInt64(try process.fill(with: .add, requests: 50_000, first: number))
        }
        return scratch
    }

    /// Reads every file of the log up to its last line and computes its checksum with ``bench_crc32c``, which
    /// uses the instruction of the processor as the daemon does.
    ///
    /// - Returns: The number of bytes.
    private static func checksum(
        of files: [(name: String, bytes: Int)], in state: String
    ) throws(BenchFailure) -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
        defer { buffer.deallocate() }
        var total = 0
        for file in files {
            let descriptor = open(state + "/" + file.name, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw failure("open '\(file.name)'") }
            defer { close(descriptor) }
            var checksum: UInt32 = 0
            var rest = file.bytes
            while rest > 0 {
                let count = read(descriptor, buffer.baseAddress, min(buffer.count, rest))
                guard count > 0 else { throw failure("read '\(file.name)'") }
                checksum = bench_crc32c(checksum, buffer.baseAddress, count)
                rest -= count
            }
            total += file.bytes
        }
        return total
    }
}
