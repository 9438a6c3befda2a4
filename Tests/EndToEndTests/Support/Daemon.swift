import Foundation
import Testing

/// The real daemon, in a directory of its own.
///
/// It may be stopped, killed and started again on the same state. A test that uses it fails if the
/// log holds a line of level error or worse, unless the test says which trouble it made.
final class Daemon {
    let place: Workplace
    let socket: String
    let state: String
    /// The process, while there is one.
    private(set) var child: Child?
    /// Started before the program itself, for example strace.
    var wrapper: [String] = []
    /// Flags beside socket, state directory and log format.
    var flags: [String]
    var environment: [String: String] = [:]
    var logFormat = "json"
    /// Error lines are part of what the test is about.
    var mayComplain = false
    private var starts = 0
    /// Its part in a cluster, if the tests of this run are of nodes.
    private var part: ClusterPart?

    /// Creates one that is not started yet.
    init(_ flags: [String] = ["--demo"], in place: Workplace? = nil) throws {
        self.place = try place ?? Workplace()
        self.flags = flags
        socket = self.place("s")
        state = self.place("state")
    }

    /// Starts it and waits until it serves.
    func start(within seconds: Double = 60) throws {
        try launch()
        guard eventually(within: seconds, { try? Line(to: socket) }) != nil else {
            throw Trouble("the daemon does not serve \(socket); it said: \(log)")
        }
        try part?.complete(self, isFirst: starts == 1)
    }

    /// Starts it and does not wait.
    @discardableResult
    func launch() throws -> Child {
        if let mode = ClusterMode.current, part == nil, mode.applies(to: flags) {
            part = try ClusterPart(mode, flags, of: self)
        }
        try part?.prepare()
        starts += 1
        let command =
            wrapper + [Built.daemon] + (part?.flags ?? flags)
            + ["--socket", socket, "--state-directory", state, "--log-format", logFormat]
        let child = try Child(
            command, in: place, name: "daemon-\(starts)", environment: environment)
        self.child = child
        return child
    }

    /// A new connection.
    func connect() throws -> Line {
        try Line(to: socket)
    }

    /// What the running or last process wrote to standard error.
    var log: String { child?.standardError ?? "" }

    /// Waits until it has logged something.
    func logs(_ text: String, within seconds: Double = 30) throws {
        let isThere: Bool? = eventually(within: seconds) { log.contains(text) ? true : nil }
        if isThere == nil { throw Trouble("the log lacks '\(text)': \(log)") }
    }

    /// Asks it to stop, and expects that it does, without complaint.
    func stop(_ location: SourceLocation = #_sourceLocation) throws {
        guard let child else { return }
        child.send(SIGTERM)
        let ending = try child.wait()
        #expect(ending == .exit(0), "stopped by SIGTERM; log: \(log)", sourceLocation: location)
        inspectLog(location)
        self.child = nil
    }

    /// Ends it the hard way.
    func killHard(_ location: SourceLocation = #_sourceLocation) throws {
        guard let child else { return }
        child.send(SIGKILL)
        _ = try child.wait()
        inspectLog(location)
        self.child = nil
    }

    /// Runs a test's body on a started daemon and stops it in order.
    static func run(
        _ flags: [String] = ["--demo"], configure: (Daemon) throws -> Void = { _ in },
        _ location: SourceLocation = #_sourceLocation, _ body: (Daemon) throws -> Void
    ) throws {
        let daemon = try Daemon(flags)
        try configure(daemon)
        try daemon.start()
        try body(daemon)
        try daemon.stop(location)
    }

    /// Fails the test on every line of level error or worse.
    func inspectLog(_ location: SourceLocation = #_sourceLocation) {
        guard !mayComplain else { return }
        for line in log.split(separator: "\n") {
            let level = (try? JSON(line))?["level"]?.string
            let isBad = level == nil || level == "error" || level == "critical"
            if isBad { Issue.record("the daemon complained: \(line)", sourceLocation: location) }
        }
    }
}

extension JSON {
    /// The transactions of an event; none for other notifications.
    var transactions: [JSON] {
        guard self["method"]?.string == "event" else { return [] }
        return self["params"]?["transactions"]?.array ?? []
    }

    /// The kind of an event.
    var kind: String? { self["params"]?["kind"]?.string }
    /// The position of an event.
    var seq: Int? { self["params"]?["seq"]?.int }
    /// Whether it ends the replay of a subscription.
    var isCaughtUp: Bool { self["method"]?.string == "caughtUp" }

    /// Whether it is an event that shows a transaction in a state.
    func shows(_ transaction: String?, _ state: String) -> Bool {
        kind == "transactionsUpdated"
            && transactions.contains {
                $0["id"]?.string == transaction && $0["transactionState"]?.string == state
            }
    }

    /// Whether it is an event that says a transaction left the queue.
    func removes(_ transaction: String?) -> Bool {
        kind == "transactionsRemoved"
            && transactions.contains { $0["id"]?.string == transaction || $0.string == transaction }
    }
}
