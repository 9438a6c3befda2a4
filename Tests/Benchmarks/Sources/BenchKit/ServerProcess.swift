import Glibc

/// A server that the benchmark started, and that ends with it.
public final class ServerProcess {
    /// The process, ended by this number and no other way.
    public let pid: Int32
    /// Where it listens.
    public let socket: String
    private let name: String
    private let log: String
    private var ended = false

    /// Starts a server and waits until its socket accepts.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments; a program without a slash is looked up.
    ///   - environment: Variables on top of the benchmark's own.
    ///   - socket: Where it will listen.
    ///   - log: A file that takes its output.
    ///   - isAwaited: Whether to wait until the socket accepts.
    /// - Throws: If it ends or does not accept within twenty seconds, with the end of its output.
    public init(
        _ arguments: [String], environment: [String: String] = [:], socket: String, log: String,
        isAwaited: Bool = true
    ) throws(BenchFailure) {
        name = arguments[0]
        self.socket = socket
        self.log = log
        pid = try Self.spawn(arguments, environment: environment, log: log)
        if isAwaited { try waitUntilListening() }
    }

    deinit { end() }

    /// Ends the server, first politely, and waits until it is gone. A second call does nothing.
    public func end() {
        guard !ended else { return }
        ended = true
        Glibc.kill(pid, SIGTERM)
        for _ in 0..<1_000 {
            if Remains.wait(for: pid, isBlocking: false) != nil { return }
            usleep(10_000)
        }
        Glibc.kill(pid, SIGKILL)
        _ = Remains.wait(for: pid)
    }

    /// Ends the server at once, as a crash does, and waits until it is gone.
    func kill() {
        guard !ended else { return }
        ended = true
        Glibc.kill(pid, SIGKILL)
        _ = Remains.wait(for: pid)
    }

    /// Processor time it used so far, user and system, in seconds.
    public func processorSeconds() throws(BenchFailure) -> Double {
        let text = try contents(ofFile: "/proc/\(pid)/stat")
        // The program's name may hold spaces; what follows its closing parenthesis does not.
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13])
        else { throw BenchFailure("cannot read the processor time of \(name)") }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Asks one line on a connection of its own and returns the line that answers it.
    public func ask(_ line: String) throws(BenchFailure) -> String {
        guard let descriptor = try connectToSocket(at: socket) else {
            throw failure("connect to '\(socket)'")
        }
        defer { close(descriptor) }
        try sendAll(Array((line + "\n").utf8), to: descriptor)
        var answer: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 8)
        defer { buffer.deallocate() }
        while answer.last != UInt8(ascii: "\n") {
            let count = try receive(buffer, from: descriptor, of: name)
            answer.append(contentsOf: buffer[..<count])
        }
        return String(decoding: answer, as: UTF8.self)
    }

    private func waitUntilListening() throws(BenchFailure) {
        for _ in 0..<20_000 {
            if let descriptor = try connectToSocket(at: socket) {
                close(descriptor)
                return
            }
            if Remains.wait(for: pid, isBlocking: false) != nil {
                ended = true
                throw BenchFailure("\(name) ended at its start:\n\(lastWords)")
            }
            usleep(1_000)
        }
        end()
        throw BenchFailure("\(name) did not accept within twenty seconds:\n\(lastWords)")
    }

    private var lastWords: String {
        do throws(BenchFailure) {
            return String(try contents(ofFile: log).suffix(2_000))
        } catch {
            return error.description
        }
    }

    /// Starts a program with nothing to read and its output in a file.
    static func spawn(
        _ arguments: [String], environment: [String: String], log: String
    ) throws(BenchFailure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_CREAT | O_WRONLY | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        let variables = ownEnvironment(adding: environment)
        // The signals that this program waits for are blocked in it; a child would inherit that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var blocked = Remains.noSignals
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var status: Int32 = 0
        let process = withCStrings(arguments) { argv in
            withCStrings(variables) { environment in
                Remains.add {
                    var pid: pid_t = 0
                    status = posix_spawnp(
                        &pid, arguments[0], &actions, &attributes, argv, environment)
                    return status == 0 ? pid : nil
                }
            }
        }
        guard let process else {
            throw BenchFailure("cannot start \(arguments[0]): \(String(cString: strerror(status)))")
        }
        return process
    }

    private static func ownEnvironment(adding more: [String: String]) -> [String] {
        var result = more.map { "\($0.key)=\($0.value)" }
        var entry = environ
        while let text = entry.pointee {
            let variable = String(cString: text)
            let name = variable.prefix { $0 != "=" }
            if more[String(name)] == nil { result.append(variable) }
            entry += 1
        }
        return result
    }
}

/// Lends an array of C strings that ends with a null pointer.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers)
}
