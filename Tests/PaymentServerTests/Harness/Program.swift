import Foundation
import Synchronization

/// The daemon's program as a process of its own.
final class Program: Sendable {
    /// How a program ended.
    enum Ending: Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    private struct Fate {
        var ending: Ending?
        var waiters: [CheckedContinuation<Ending, Never>] = []
    }

    private let id: pid_t
    private let fate = Mutex(Fate())

    /// Starts the built daemon.
    ///
    /// - Parameters:
    ///   - arguments: Its flags.
    ///   - log: The file that its standard error goes to.
    /// - Throws: It cannot be started.
    init(arguments: [String], log: String) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        Self.freeSignals(&attributes)
        let command: [String] = [Self.path] + arguments
        // Sanitizers read their options from the environment.
        let kept = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
        let variables =
            ["PATH=/usr/bin:/bin", "HOME=/nonexistent"] + kept.map { "\($0.key)=\($0.value)" }
        let words = command.map { strdup($0) } + [nil]
        let settings = variables.map { strdup($0) } + [nil]
        defer { (words + settings).forEach { free($0) } }
        var child: pid_t = 0
        let failure = posix_spawn(&child, Self.path, &actions, &attributes, words, settings)
        guard failure == 0 else {
            throw Unexpected("cannot start \(Self.path): \(String(cString: strerror(failure)))")
        }
        id = child
        Thread.detachNewThread { [self] in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            let number = status & 0x7f
            ended(number == 0 ? .exit((status >> 8) & 0xff) : .signal(number))
        }
    }

    /// How it ended; nil while it runs.
    var ending: Ending? { fate.withLock(\.ending) }

    /// Sends a signal and waits for the end.
    func end(by signal: Int32) async -> Ending {
        // Nobody else has this id as long as it was not waited for.
        fate.withLock { fate in
            if fate.ending == nil { kill(id, signal) }
        }
        return await withCheckedContinuation { done in
            let ending = fate.withLock { fate in
                if fate.ending == nil { fate.waiters.append(done) }
                return fate.ending
            }
            if let ending { done.resume(returning: ending) }
        }
    }

    private func ended(_ ending: Ending) {
        let waiters = fate.withLock { fate in
            defer { fate.waiters = [] }
            fate.ending = ending
            return fate.waiters
        }
        for waiter in waiters { waiter.resume(returning: ending) }
    }

    /// The program, beside the test bundle, which is mapped into this process.
    private static let path: String = {
        if let named = ProcessInfo.processInfo.environment["PAYQUEUED_BINARIES"] {
            return named + "/payqueued"
        }
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        let bundle = maps.split(separator: "\n").first { $0.hasSuffix(".xctest") }
        let found = bundle.flatMap { line in line.firstIndex(of: "/").map { line[$0...] } }
        return URL(filePath: found.map(String.init) ?? CommandLine.arguments[0])
            .deletingLastPathComponent().appending(path: "payqueued").path
    }()

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
}
