import Glibc

/// Whole purchases with the store server, which listens on a Unix socket.
final class StoreRows: RowGroup {
    private let options: Options
    private let store: String
    private var hasCountedSyncs = false

    init(_ options: Options, store: String) {
        self.options = options
        self.store = store
    }

    var title: String { "whole purchases, store server" }

    func measure(into report: inout Report) throws(BenchFailure) {
        for window in [1, 16, 64, 256] {
            let own = try withServers { process, _ throws(BenchFailure) in
                try PurchaseLoad(socket: process.socket)
                    .measure(window: window, seconds: options.seconds, on: process)
            }
            let isJudged = window == 64
            let peer = isJudged ? try PurchaseRows.measure(window: window, options) : nil
            report.record(
                Row(
                    .p4, "purchase, store server, \(window) in flight", unit: "1/s",
                    peer: isJudged ? "embedded store" : nil,
                    goal: isJudged ? .ratio(.atLeast, 0.15) : nil),
                Reading(own, peer: peer))
        }
        guard !hasCountedSyncs else { return }
        hasCountedSyncs = true
        let syncs = try withServers { process, directory throws(BenchFailure) in
            try PurchaseRows.syncs(
                PurchaseLoad(socket: process.socket), of: process, in: directory)
        }
        report.record(
            Row(
                .p4, "purchase, store server, 1 in flight, syncs of the daemon", unit: "calls",
                goal: .rounded(.atMost, 4), decimals: 1), Reading(syncs))
    }

    /// Starts the store server and a daemon, and logs in.
    private func withServers<Result>(
        _ body: (ServerProcess, String) throws(BenchFailure) -> Result
    ) throws(BenchFailure) -> Result {
        try TemporaryDirectory.withNew(in: options.directory) { directory throws(BenchFailure) in
            let door = directory + "/store.s"
            let server = try ServerProcess(
                [
                    store, "--demo", "--listen", "unix:" + door, "--state-directory",
                    directory + "/store",
                ], socket: door, log: directory + "/store.log")
            defer { server.end() }
            let socket = directory + "/s"
            let process = try ServerProcess(
                [
                    options.payqueued, "--store", "http+unix://" + door, "--socket", socket,
                    "--state-directory", directory + "/state", "--log-level", "warning",
                ], socket: socket, log: directory + "/log")
            defer { process.end() }
            let reply = try Caller(socket: socket).call("login", #"{"account":"demo"}"#).reply
            guard reply.contains(#""account":"demo""#) else {
                throw BenchFailure("no login: \(reply)")
            }
            return try body(process, directory)
        }
    }
}
