internal import PaymentCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension StorageEnvironment {
    /// The clocks and the random numbers of the system, and a thread of its own for each piece of
    /// background work: there is one every few seconds at most. The thread gives way to those that serve
    /// clients.
    public static let system = StorageEnvironment(
        now: { Timestamp(milliseconds: Int64(nanoseconds(CLOCK_REALTIME) / 1_000_000)) },
        monotonicNanoseconds: { nanoseconds(CLOCK_MONOTONIC) },
        random: { UInt64.random(in: .min ... .max) },
        background: { work in
            let started = startThread {
                // PRIO_PROCESS, for the calling thread alone. If it fails, the work only competes with
                // the clients'.
                _ = setpriority(0, 0, 19)
                work()
            }
            if !started { work() }
        },
        backgroundSync: { file throws(DiskFailure) in
            let started = nanoseconds(CLOCK_MONOTONIC)
            try file.sync()
            // One slow sync does not delay the next segment for long.
            rest(min(2 * (nanoseconds(CLOCK_MONOTONIC) - started), 1_000_000_000))
        })

    /// Lets a background thread wait. One that waits for twice as long as its last sync took leaves two thirds
    /// of the time of the disk to commits.
    private static func rest(_ nanoseconds: UInt64) {
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        // A signal may end the wait early.
        nanosleep(&time, nil)
    }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// Carries work over to a thread.
private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

/// Starts a thread of its own for the work.
///
/// - Returns: False if the system refuses a thread; the work is then not done.
package func startThread(_ work: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(Work(work))
    var thread = pthread_t()
    let failure = pthread_create(
        &thread, nil,
        { argument in
            guard let argument else { return nil }
            Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
            return nil
        }, box.toOpaque())
    guard failure == 0 else {
        box.release()
        return false
    }
    pthread_detach(thread)
    return true
}

/// The identity of a process, as its lock file shows it.
public struct ProcessIdentity: Sendable, Hashable {
    /// The process id.
    public var pid: Int32
    /// The name of the program.
    public var program: String
    /// The identifier of the boot of the machine. A process id has a meaning only together with it.
    public var bootID: String
    /// The path of the socket that the process serves, if it serves one.
    public var socketPath: String?

    /// Creates an identity.
    public init(pid: Int32, program: String, bootID: String, socketPath: String? = nil) {
        self.pid = pid
        self.program = program
        self.bootID = bootID
        self.socketPath = socketPath
    }

    /// This process.
    ///
    /// - Parameters:
    ///   - program: The name to show, such as `payqueued`.
    ///   - socketPath: The socket that it serves.
    /// - Returns: Its identity.
    public static func current(program: String, socketPath: String? = nil) -> ProcessIdentity {
        let bootID = readLine(ofFile: "/proc/sys/kernel/random/boot_id") ?? ""
        return ProcessIdentity(
            pid: getpid(), program: program, bootID: bootID, socketPath: socketPath)
    }

    /// Whether a process is ending: SIGKILL was sent to it, it is exiting, or it is a zombie. It has its locks
    /// and its sockets until it is gone.
    ///
    /// - Parameter pid: The process.
    /// - Returns: False if there is no such process.
    package static func isEnding(_ pid: Int32) -> Bool {
        // A process takes the signal before it is marked as exiting. The signal is therefore looked for first:
        // a process that takes it between the two readings is found by the second.
        if isKilled(pid) { return true }
        // pid (name) state ppid pgrp session tty tpgid flags …; the name may have blanks in it.
        let fields = readLine(ofFile: "/proc/\(pid)/stat")?.split(separator: ")").last?
            .split(separator: " ")
        guard let fields, fields.count > 6 else { return false }
        let isExiting = (UInt64(fields[6]) ?? 0) & 0x4 != 0
        return isExiting || ["Z", "X"].contains(fields[0])
    }

    private static func isKilled(_ pid: Int32) -> Bool {
        guard let file = fopen("/proc/\(pid)/status", "re") else { return false }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 256)
        while fgets(&buffer, CInt(buffer.count), file) != nil {
            let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            let parts = String(decoding: bytes, as: UTF8.self)
                .split { $0 == ":" || $0.isWhitespace }
            guard parts.count == 2, parts[0] == "SigPnd" || parts[0] == "ShdPnd" else { continue }
            if (UInt64(parts[1], radix: 16) ?? 0) & (1 << UInt64(SIGKILL - 1)) != 0 { return true }
        }
        return false
    }

    /// The user that this process acts as.
    public static var effectiveUser: UInt32 { geteuid() }
}

/// Repeats an attempt a hundred times a second until it succeeds.
///
/// - Parameters:
///   - seconds: The maximum time.
///   - isWorth: Whether to continue after a failed attempt.
///   - attempt: Returns whether it has succeeded.
/// - Returns: Whether an attempt has succeeded.
/// - Throws: The error of an attempt.
func tryRepeatedly(
    for seconds: Int, while isWorth: () -> Bool = { true },
    _ attempt: () throws(DiskFailure) -> Bool
) throws(DiskFailure) -> Bool {
    for _ in 0..<seconds * 100 {
        if try attempt() { return true }
        guard isWorth() else { break }
        usleep(10_000)
    }
    return try attempt()
}

/// The first line of a small file of the system, nil if it cannot be read.
func readLine(ofFile path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 256)
    guard fgets(&buffer, CInt(buffer.count), file) != nil else { return nil }
    let bytes = buffer.prefix { $0 != 0 && $0 != 0x0A }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
}
