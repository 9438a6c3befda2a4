import Testing

/// The store server's program, on a socket of its own.
final class StoreServer {
    private let place: Workplace
    /// Where it listens.
    let socket: String
    private(set) var child: Child?
    /// Flags beside socket, state directory and log format.
    var flags: [String] = []
    var environment: [String: String] = [:]
    /// Started before the program itself.
    var wrapper: [String] = []
    private var starts = 0

    /// What the running or last process wrote to standard error.
    var log: String { child?.standardError ?? "" }

    /// What `--store` is told.
    var address: String { "http+unix://\(socket)" }

    init(in place: Workplace) {
        self.place = place
        socket = place("store.sock")
    }

    /// Starts it with flags that have it listen on a port, and waits until it says which.
    func startOnPort() throws -> Int {
        let child = try launch()
        let port: Int? = try eventually(within: 60) {
            if let ending = child.poll() { throw Trouble("it ended with \(ending): \(log)") }
            return log.firstMatch(of: #/"address":"[^"]*:([1-9]\d*)"/#).flatMap { Int($0.1) }
        }
        guard let port else { throw Trouble("the store does not say where it listens: \(log)") }
        return port
    }

    /// Starts it and waits until it serves.
    func start() throws {
        let child = try launch()
        guard eventually(within: 60, { try? Line(to: socket) }) != nil else {
            throw Trouble("the store does not serve \(socket); it said: \(child.standardError)")
        }
    }

    private func launch() throws -> Child {
        starts += 1
        let child = try Child(
            wrapper + [
                Built.store, "--listen", "unix:\(socket)", "--state-directory", place("store"),
                "--log-format", "json",
            ] + flags, in: place, name: "store-\(starts)", environment: environment)
        self.child = child
        return child
    }

    /// Asks it to stop, and expects that it does.
    func stop() throws {
        guard let child else { return }
        child.send(15)
        #expect(try child.wait() == .exit(0), "the store said: \(child.standardError)")
        self.child = nil
    }

    /// Ends it the hard way.
    func killHard() throws {
        guard let child else { return }
        child.send(9)
        _ = try child.wait()
        self.child = nil
    }

    /// Runs a command beside the server and reads its answer.
    func run(_ arguments: String...) throws -> JSON {
        let shown = try Child.run(
            [Built.store] + arguments + ["--json", "--state-directory", place("store")], in: place)
        guard shown.ending == .exit(0) else { throw Trouble(shown.errors) }
        return try JSON(shown.output)
    }

    /// How many orders it has in each state, by its own count.
    func orderCounts() throws -> [String: Int] {
        let line = try Line(to: socket)
        line.write(
            Array("GET /metrics HTTP/1.1\r\nhost: store\r\nconnection: close\r\n\r\n".utf8))
        var counts: [String: Int] = [:]
        while let bytes = try? line.bytes(within: 60) {
            let text = String(decoding: bytes, as: UTF8.self)
            let found = text.firstMatch(of: #/^payqueue_store_orders\{state="(\w+)"\} (\d+)/#)
            if let found { counts[String(found.1)] = Int(found.2) }
        }
        return counts
    }

    /// Every record of its journal.
    var records: [JSON] {
        let folder = place("store/sandbox")
        let listed = try? Child.run(["sh", "-c", "cat \(folder)/journal-*.ndjson"], in: place)
        return (listed?.output ?? "").split(separator: "\n").compactMap { try? JSON($0) }
    }
}
