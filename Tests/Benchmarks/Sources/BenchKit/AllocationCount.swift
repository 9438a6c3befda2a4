import Glibc

/// How many heap allocations the daemon makes under load, counted by a preloaded library.
public struct AllocationCount: Sendable, Hashable {
    /// The load.
    public let shape: Shape
    /// Requests answered while allocations were counted.
    public let requests: Int
    /// Allocations in that time, growing a block included.
    public let allocations: UInt64
    /// Bytes asked for in that time.
    public let bytes: UInt64

    /// Allocations for each request.
    public var perRequest: Double { Double(allocations) / Double(max(1, requests)) }
    /// Bytes for each request.
    public var bytesPerRequest: Double { Double(bytes) / Double(max(1, requests)) }

    /// Loads the daemon and counts.
    ///
    /// - Parameters:
    ///   - server: Started for this on a directory of its own.
    ///   - library: The library to preload.
    ///   - shape: The load.
    ///   - seconds: How long to count.
    ///   - directory: The file system for its files.
    /// - Returns: The counts.
    /// - Throws: If the server does not run, or does not count because the library is missing.
    public static func measure(
        _ server: Server, preloading library: String, under shape: Shape, seconds: Double,
        in directory: String
    ) throws(BenchFailure) -> AllocationCount {
        let scratch = try TemporaryDirectory(in: directory)
        let counts = try CountFile(path: scratch.path + "/counts")
        let process = try server.start(
            in: scratch.path,
            environment: ["LD_PRELOAD": library, "ALLOCATION_COUNTS": counts.path])
        defer { process.end() }
        let driver = LoadDriver(
            socket: process.socket, workload: server.workload, shape: shape, warmUp: 0.5,
            seconds: seconds)
        let load = try driver.run { () throws(BenchFailure) in try counts.read() }
        guard load.before.allocations > 0 else {
            throw BenchFailure("nothing was counted: is '\(library)' there?")
        }
        return AllocationCount(
            shape: shape, requests: load.latencies.count,
            allocations: load.after.allocations - load.before.allocations,
            bytes: load.after.bytes - load.before.bytes)
    }
}

/// The file into which the preloaded library counts: two integers in the machine's byte order.
private struct CountFile: ~Copyable {
    let path: String
    private let descriptor: Int32

    init(path: String) throws(BenchFailure) {
        self.path = path
        descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0, ftruncate(descriptor, 16) == 0 else {
            throw failure("create '\(path)'")
        }
    }

    deinit { close(descriptor) }

    func read() throws(BenchFailure) -> (allocations: UInt64, bytes: UInt64) {
        var counts: [UInt64] = [0, 0]
        guard pread(descriptor, &counts, 16, 0) == 16 else { throw failure("read '\(path)'") }
        return (counts[0], counts[1])
    }
}
