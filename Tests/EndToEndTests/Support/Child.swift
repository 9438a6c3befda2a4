import Foundation

/// A program that a test started. What it writes goes to files, so that nothing can block it.
final class Child {
    /// How a program ended.
    enum Ending: Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    let id: pid_t
    private let output: String
    private let errors: String
    private var ending: Ending?

    /// Standard output so far.
    var standardOutput: String { text(of: output) }
    /// Standard error so far.
    var standardError: String { text(of: errors) }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: The program, looked for in `PATH`, and its arguments.
    ///   - place: Where its output goes.
    ///   - name: Names the files of its output.
    ///   - input: What it reads; empty input if nil.
    ///   - socket: What it reads from and writes to instead of files.
    ///   - passing: Descriptors that it finds from number 3 on.
    ///   - environment: Variables beside the inherited ones; those of payqueued and of the service
    ///     manager are not inherited.
    /// - Throws: ``Trouble`` if it cannot be started.
    init(
        _ command: [String], in place: Workplace, name: String, input: [UInt8]? = nil,
        socket: Int32? = nil, passing: [Int32] = [], environment: [String: String] = [:]
    ) throws {
        output = place("\(name).out")
        errors = place("\(name).err")
        var inputPath = "/dev/null"
        if let input {
            inputPath = place("\(name).in")
            try Data(input).write(to: URL(filePath: inputPath))
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let create = O_WRONLY | O_CREAT | O_APPEND
        if let socket {
            posix_spawn_file_actions_adddup2(&actions, socket, 0)
            posix_spawn_file_actions_adddup2(&actions, socket, 1)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, inputPath, O_RDONLY, 0)
            posix_spawn_file_actions_addopen(&actions, 1, output, create, 0o600)
        }
        posix_spawn_file_actions_addopen(&actions, 2, errors, create, 0o600)
        // Out of the way first, or one would be overwritten before it is passed.
        let passed = passing.map { fcntl($0, F_DUPFD_CLOEXEC, 1000) }
        defer { passed.forEach { close($0) } }
        for (index, descriptor) in passed.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, 3 + Int32(index))
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        Self.freeSignals(&attributes)
        let variables = Self.inherited().merging(environment) { $1 }.map { "\($0)=\($1)" }
        let words = command.map { strdup($0) } + [nil]
        let settings = variables.map { strdup($0) } + [nil]
        defer { (words + settings).forEach { free($0) } }
        var child: pid_t = 0
        let failure = posix_spawnp(
            &child, command[0], &actions, &attributes, words, settings)
        guard failure == 0 else {
            throw Trouble("cannot start \(command[0]): \(String(cString: strerror(failure)))")
        }
        id = child
    }

    deinit {
        guard ending == nil else { return }
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
    }

    /// How it ended; nil while it runs.
    func poll() -> Ending? {
        if let ending { return ending }
        var status: Int32 = 0
        guard waitpid(id, &status, WNOHANG) == id else { return nil }
        let number = status & 0x7f
        ending = number == 0 ? .exit((status >> 8) & 0xff) : .signal(number)
        return ending
    }

    /// Waits until it has printed a text.
    ///
    /// - Returns: Whether it has.
    /// - Throws: ``Trouble`` if it ends without the text.
    func hasPrinted(_ text: String, within seconds: Double) throws -> Bool {
        let isPrinted: Bool? = try eventually(within: seconds) {
            // Before the output is read: the program may print the text and end at any moment.
            let ending = poll()
            if standardOutput.contains(text) { return true }
            if let ending {
                let said = standardOutput.suffix(2000) + standardError.suffix(2000)
                throw Trouble("it ended with \(ending): \(said)")
            }
            return nil
        }
        return isPrinted == true
    }

    /// Waits for its end.
    func wait(seconds: Double = 60) throws -> Ending {
        guard let ending = eventually(within: seconds, { poll() }) else {
            throw Trouble(
                "process \(id) is still there after \(seconds) s; it said: \(standardError)")
        }
        return ending
    }

    /// Sends a signal.
    func send(_ number: Int32) {
        guard ending == nil else { return }
        kill(id, number)
    }

    /// Runs a program to its end.
    static func run(
        _ command: [String], in place: Workplace, input: String? = nil,
        environment: [String: String] = [:], seconds: Double = 60
    ) throws -> (ending: Ending, output: String, errors: String) {
        let name = "run-\(UInt64.random(in: 0...UInt64.max))"
        let child = try Child(
            command, in: place, name: name, input: input.map { Array($0.utf8) },
            environment: environment)
        let ending = try child.wait(seconds: seconds)
        return (ending, child.standardOutput, child.standardError)
    }

    /// The threads of a test block and ignore signals; a program from a shell starts without that.
    private static func freeSignals(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }

    private static func inherited() -> [String: String] {
        let dropped = [
            "PAYQUEUED_", "NOTIFY_SOCKET", "LISTEN_", "FDSTORE", "WATCHDOG_", "XDG_",
            "STATE_DIRECTORY",
            "RUNTIME_DIRECTORY", "CONFIGURATION_DIRECTORY", "JOURNAL_STREAM",
        ]
        return ProcessInfo.processInfo.environment.filter { variable in
            !dropped.contains { variable.key.hasPrefix($0) }
        }
    }
}

extension Workplace {
    /// Writes a program inside and returns its path.
    ///
    /// A child writes it: a program that another thread has just inherited open for writing could not
    /// be started.
    @discardableResult
    func program(_ text: String, named name: String) throws -> String {
        let path = self(name)
        let command = ["sh", "-c", "cat >'\(path)' && chmod 0700 '\(path)'"]
        let made = try Child.run(command, in: self, input: text)
        guard made.ending == .exit(0) else { throw Trouble("cannot write \(path): \(made.errors)") }
        return path
    }
}

/// Asks again and again until there is an answer or the time is over.
func eventually<Answer>(within seconds: Double, _ ask: () throws -> Answer?) rethrows -> Answer? {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
        if let answer = try ask() { return answer }
        guard ContinuousClock.now < deadline else { return nil }
        usleep(2000)
    }
}
