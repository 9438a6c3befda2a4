import Glibc

/// A child process.
struct ChildProcess {
    let id: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The file of the program, or its name for a search in `PATH`.
    ///   - arguments: The arguments after the name.
    ///   - environment: The environment as `NAME=value` strings.
    ///   - descriptors: The descriptors of the child: own descriptor and its number in the child.
    /// - Throws: ``CommandFailure`` if it cannot be started.
    init(
        _ path: String, _ arguments: [String], environment: [String],
        descriptors: [(own: Int32, child: Int32)]
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (own, child) in descriptors {
            posix_spawn_file_actions_adddup2(&actions, own, child)
        }
        var child: pid_t = 0
        let words = ([path] + arguments).map { strdup($0) }
        let variables = environment.map { strdup($0) }
        defer { (words + variables).forEach { free($0) } }
        let failure = posix_spawnp(&child, path, &actions, nil, words + [nil], variables + [nil])
        guard failure == 0 else {
            throw CommandFailure(
                .refused, "cannot start '\(path)': \(SystemWords.of(failure))",
                advice: "check that the program exists and may be run")
        }
        id = child
    }

    /// Whether the process has ended; reaps it.
    func hasEnded() -> Bool {
        waitpid(id, nil, WNOHANG) != 0
    }

    /// Waits for the end of the process.
    ///
    /// - Returns: Its exit status; 128 plus the signal number if a signal ended it.
    func waitForStatus() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? status >> 8 & 0xff : 128 + signal
    }

    /// Sends SIGTERM, and SIGKILL if the process has not ended after the given time.
    func terminate(within grace: Duration) {
        kill(id, SIGTERM)
        let deadline = ContinuousClock.now + grace
        while !hasEnded() {
            guard ContinuousClock.now < deadline else {
                return end()
            }
            usleep(10_000)
        }
    }

    /// Kills the process with `SIGKILL` and reaps it.
    func end() {
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
    }

    /// The environment of this process without the variables whose names begin with a prefix.
    static func inheritedEnvironment(without prefixes: [String]) -> [String] {
        var variables: [String] = []
        var place = environ
        while let variable = place.pointee {
            let text = String(cString: variable)
            if !prefixes.contains(where: text.hasPrefix) { variables.append(text) }
            place += 1
        }
        return variables
    }
}
