import Glibc

/// A real `socat` between the demonstration and the daemon, so that what is shown is what socat
/// shows; the bare socket where socat is not installed.
struct DemoTransport: ~Copyable {
    /// The conversation.
    var lines: LinePipe
    private let socat: pid_t?

    /// How a person starts the same.
    static func command(_ socket: String) -> String {
        "socat - UNIX-CONNECT:\(Shell.quoted(socket))"
    }

    /// Connects to the daemon.
    init(socket: String) throws {
        guard OwnProgram.isInstalled("socat") else {
            let descriptor = try UnixSocket.connect(to: socket)
            lines = LinePipe(reading: descriptor, writing: descriptor)
            socat = nil
            return
        }
        let toSocat = try Self.pipe()
        let fromSocat = try Self.pipe()
        let child = try ChildProcess(
            "socat", ["-", "UNIX-CONNECT:\(socket)"],
            environment: ChildProcess.inheritedEnvironment(without: []),
            descriptors: [(toSocat.read, STDIN_FILENO), (fromSocat.write, STDOUT_FILENO)])
        socat = child.id
        close(toSocat.read)
        close(fromSocat.write)
        lines = LinePipe(reading: fromSocat.read, writing: toSocat.write)
    }

    deinit {
        guard let socat else { return }
        ChildProcess(adopting: socat).terminate(within: .seconds(1))
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else {
            throw CommandFailure(
                .refused, "cannot make a pipe to socat: \(String(cString: strerror(errno)))",
                advice: "close some files or programs")
        }
        // The child gets only the ends that it is given by number.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
