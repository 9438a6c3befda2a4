import Glibc

/// The heap allocations of a server that runs with the preloaded library, which counts them.
struct AllocationCount: ~Copyable {
    private let path: String
    private let library: String
    private let descriptor: Int32

    /// Creates the file into which the library counts.
    init(preloading library: String, in directory: String) throws(BenchFailure) {
        self.library = library
        path = directory + "/allocations"
        descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0, ftruncate(descriptor, 16) == 0 else {
            throw failure("create '\(path)'")
        }
    }

    deinit { close(descriptor) }

    /// The variables with which the server starts.
    var environment: [String: String] { ["LD_PRELOAD": library, "ALLOCATION_COUNTS": path] }

    /// The allocations so far, growing a block included: two integers in the machine's byte order are in
    /// the file, and this is the first.
    ///
    /// - Throws: If nothing was counted, because the library is missing.
    func read() throws(BenchFailure) -> Int {
        var counts: [UInt64] = [0, 0]
        guard pread(descriptor, &counts, 16, 0) == 16 else { throw failure("read '\(path)'") }
        guard counts[0] > 0 else {
            throw BenchFailure("no allocation was counted: '\(library)' may be missing")
        }
        return Int(counts[0])
    }
}
