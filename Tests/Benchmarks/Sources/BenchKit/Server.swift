import CBenchSupport
import Glibc

/// A server that the benchmark knows how to start and to load.
public enum Server: Sendable, Hashable {
    /// The daemon, the path of its binary given.
    case payqueued(String)
    /// Redis with every write synced, the path of its binary given.
    case redis(String)

    /// The name in reports.
    public var name: String {
        switch self {
        case .payqueued: "payqueued"
        case .redis: "redis"
        }
    }

    /// The usual load.
    public var workload: Workload {
        switch self {
        case .payqueued: .add
        case .redis: .push(bytes: BareLoop.recordBytes)
        }
    }

    /// Starts it on a directory of its own.
    ///
    /// - Parameters:
    ///   - directory: Exists and is empty.
    ///   - environment: Variables on top of the benchmark's own.
    ///   - flags: Flags after the usual ones.
    ///   - isAwaited: Whether to wait until the server accepts connections.
    /// - Returns: The running server.
    /// - Throws: If it does not accept connections in time.
    public func start(
        in directory: String, environment: [String: String] = [:], flags: [String] = [],
        isAwaited: Bool = true
    ) throws(BenchFailure) -> ServerProcess {
        let socket = directory + "/s"
        return try ServerProcess(
            arguments(directory: directory, socket: socket) + flags, environment: environment,
            socket: socket, log: directory + "/log", isAwaited: isAwaited)
    }

    /// Flags with which the daemon takes more open transactions than by default.
    ///
    /// - Parameters:
    ///   - directory: The directory for the configuration file.
    ///   - keepingLog: Whether the daemon keeps the whole event log.
    /// - Returns: The flags.
    /// - Throws: The configuration file cannot be written.
    static func roomyFlags(
        in directory: String, keepingLog: Bool
    ) throws(BenchFailure) -> [String] {
        let path = directory + "/roomy.json"
        let retention = keepingLog ? #""retention":{"logBytes":68719476736},"# : ""
        try write(
            "{" + retention + #""limits":{"unfinishedTransactions":20000000}}"#, toFile: path)
        return ["--config", path]
    }

    /// How many requests it keeps durably, as it says itself. An acknowledged request that is not
    /// among them was never done.
    public func stored(by process: ServerProcess) throws(BenchFailure) -> Int {
        let answer: String
        let label: StaticString
        switch self {
        case .payqueued:
            answer = try process.ask(#"{"jsonrpc":"2.0","id":1,"method":"status"}"#)
            label = #""unfinished":"#
        case .redis:
            answer = try loaded(process, "*2\r\n$4\r\nLLEN\r\n$5\r\nbench\r")
            label = ":"
        }
        guard let count = answer.withBytes({ $0.number(after: label) }) else {
            throw BenchFailure("cannot read from \(name) what it stored: \(answer)")
        }
        return count
    }

    /// The answer of Redis, which accepts connections before it has loaded.
    private func loaded(
        _ process: ServerProcess, _ request: String
    ) throws(BenchFailure) -> String {
        while true {
            let answer = try process.ask(request)
            guard answer.hasPrefix("-LOADING") else { return answer }
            usleep(2_000)
        }
    }

    /// The seconds that the last start took to load, by the server's own log; nil if it does not say.
    func loadingSeconds(in directory: String) throws(BenchFailure) -> Double? {
        guard case .redis = self else { return nil }
        let lines = try contents(ofFile: directory + "/log").split(separator: "\n")
        let line = lines.last { $0.contains("DB loaded from append only file") }
        return line.flatMap { $0.split(separator: " ").dropLast().last }.flatMap { Double($0) }
    }

    private func arguments(directory: String, socket: String) -> [String] {
        switch self {
        case .payqueued(let path):
            [
                path, "--demo", "--socket", socket, "--state-directory", directory + "/state",
                "--log-level", "warning",
            ]
        case .redis(let path):
            [
                path, "--port", "0", "--unixsocket", socket, "--dir", directory,
                "--appendonly", "yes", "--appendfsync", "always",
                // A rewrite in the background would be work that the other side does not do.
                "--auto-aof-rewrite-percentage", "0", "--save", "",
            ]
        }
    }
}

/// A new directory that is removed with everything in it.
public final class TemporaryDirectory {
    /// Its path.
    public let path: String

    /// Creates one inside another.
    public init(in parent: String) throws(BenchFailure) {
        var template = Array((parent + "/payqueued-bench-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw failure("make a directory in '\(parent)'") }
        path = template.withUnsafeBufferPointer { bytes in
            String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        Remains.add(path)
    }

    deinit {
        let failures = bench_remove_tree(path)
        Remains.remove(path)
        guard failures > 0 else { return }
        let text = Array("bench: \(failures) entries of '\(path)' cannot be removed\n".utf8)
        _ = Glibc.write(STDERR_FILENO, text, text.count)
    }

    /// Lends a new directory, after the disk has finished earlier work. It is removed when the body has
    /// returned, and so has ended the servers in it.
    static func withNew<Result>(
        in parent: String, _ body: (String) throws(BenchFailure) -> Result
    ) throws(BenchFailure) -> Result {
        sync()
        let scratch = try TemporaryDirectory(in: parent)
        return try withExtendedLifetime(scratch) { () throws(BenchFailure) in
            try body(scratch.path)
        }
    }
}
