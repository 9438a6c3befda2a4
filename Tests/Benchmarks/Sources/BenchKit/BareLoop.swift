import Glibc

/// The floor under every durable server: write 300 bytes, `fdatasync`, again.
///
/// A loop that appends makes the file longer, so that each `fdatasync` also commits the new size to the
/// journal of the file system. The daemon does not have this cost, since it overwrites files that it has
/// filled before. The loop that overwrites is therefore its real floor.
public enum BareLoop {
    /// The place of each write.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// The end of a file that grows.
        case append
        /// The next bytes of a file that was filled and synced before, and its first ones after its last.
        case overwrite
    }

    /// Bytes of one write, about a journal line.
    public static let recordBytes = 300
    /// The records that fit into the file that is overwritten, in about 16 MiB.
    private static let filledRecords = (16 << 20) / recordBytes

    /// Runs the loop on a new file and removes the file.
    ///
    /// - Parameters:
    ///   - kind: The place of each write.
    ///   - directory: Where the file goes; the file system of the servers' state.
    ///   - seconds: How long to measure, after a tenth of that as warm-up.
    /// - Returns: The time of each write with its sync; nothing serves, so no processor time.
    /// - Throws: If the file cannot be written.
    public static func run(
        _ kind: Kind, in directory: String, seconds: Double
    ) throws(BenchFailure) -> Measurement {
        let path = directory + "/bare-loop"
        let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("create '\(path)'") }
        defer {
            close(file)
            unlink(path)
        }
        if kind == .overwrite { try fill(file) }
        var loop = Loop(file: file, wrapsAfter: kind == .overwrite ? filledRecords : .max)
        _ = try loop.run(for: seconds / 10)
        loop.latencies.removeAll()
        let elapsed = try loop.run(for: seconds)
        return Measurement(latencies: loop.latencies, seconds: elapsed)
    }

    private static func fill(_ file: Int32) throws(BenchFailure) {
        let bytes = [UInt8](
            repeating: UInt8(ascii: "\n"), count: filledRecords * recordBytes)
        guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            throw failure("fill the bare file")
        }
    }

    private struct Loop {
        let file: Int32
        /// The number of records after which the first one is overwritten.
        let wrapsAfter: Int
        var latencies = Histogram()
        private var record = 0
        private let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: recordBytes)

        init(file: Int32, wrapsAfter: Int) {
            self.file = file
            self.wrapsAfter = wrapsAfter
        }

        /// Writes and syncs until the time has passed.
        ///
        /// - Returns: The seconds that it took.
        mutating func run(for seconds: Double) throws(BenchFailure) -> Double {
            let start = monotonicNanoseconds()
            let end = start + UInt64(seconds * 1e9)
            var now = start
            while now < end {
                let offset = off_t(record % wrapsAfter * recordBytes)
                guard pwrite(file, bytes, bytes.count, offset) == bytes.count, fdatasync(file) == 0
                else { throw failure("write to the bare file") }
                record += 1
                let done = monotonicNanoseconds()
                latencies.record(done - now)
                now = done
            }
            return Double(now - start) / 1e9
        }
    }
}

extension Measurement {
    /// Sums up the latencies of a measured time.
    ///
    /// - Parameters:
    ///   - latencies: In nanoseconds, one for each request.
    ///   - seconds: The measured time.
    public init(latencies: Histogram, seconds: Double) {
        self.init(
            requests: latencies.count, rate: Double(latencies.count) / seconds,
            p50: latencies.microseconds(0.5), p99: latencies.microseconds(0.99))
    }
}
