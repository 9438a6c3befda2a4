internal import PaymentCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension StorageEnvironment {
    /// The clocks and the random numbers of the system, and a thread of its own for each piece of
    /// background work: there is one every few seconds at most.
    public static let system = StorageEnvironment(
        now: { Timestamp(milliseconds: Int64(nanoseconds(CLOCK_REALTIME) / 1_000_000)) },
        monotonicNanoseconds: { nanoseconds(CLOCK_MONOTONIC) },
        random: { UInt64.random(in: .min ... .max) },
        background: runOnThread)

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

/// Starts a thread for the work; where none can be had the work is done at once.
private func runOnThread(_ work: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Work(work))
    var thread = pthread_t()
    let failure = pthread_create(
        &thread, nil,
        { argument in
            guard let argument else { return nil }
            Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
            return nil
        }, box.toOpaque())
    guard failure == 0 else { return box.takeRetainedValue().run() }
    pthread_detach(thread)
}

/// Who a process is, as its lock file tells others.
public struct ProcessIdentity: Sendable, Hashable {
    /// The process id.
    public var pid: Int32
    /// The name of the program.
    public var program: String
    /// Names the boot of the machine; a pid means something only together with it.
    public var bootID: String
    /// The path of the socket that the process serves, if it serves one.
    public var socketPath: String?

    /// Makes an identity.
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

    /// The user that this process acts as.
    public static var effectiveUser: UInt32 { geteuid() }
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
