import Glibc

/// The floor under every durable server: append 300 bytes, `fdatasync`, again.
public enum BareLoop {
    /// Bytes of one append, about a journal line.
    public static let recordBytes = 300

    /// Runs the loop on a new file and removes the file.
    ///
    /// - Parameters:
    ///   - directory: Where the file goes; the file system of the servers' state.
    ///   - seconds: How long to measure, after a tenth of that as warm-up.
    /// - Returns: The time of each append with its sync; nothing serves, so no processor time.
    /// - Throws: If the file cannot be written.
    public static func run(
        in directory: String, seconds: Double
    ) throws(BenchFailure) -> Measurement {
        let path = directory + "/bare-loop"
        let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("create '\(path)'") }
        defer {
            close(file)
            unlink(path)
        }
        var latencies = Histogram()
        _ = try append(to: file, seconds: seconds / 10, latencies: &latencies)
        latencies.removeAll()
        let elapsed = try append(to: file, seconds: seconds, latencies: &latencies)
        return Measurement(latencies: latencies, seconds: elapsed)
    }

    private static func append(
        to file: Int32, seconds: Double, latencies: inout Histogram
    ) throws(BenchFailure) -> Double {
        let record = [UInt8](repeating: UInt8(ascii: "x"), count: recordBytes)
        let start = monotonicNanoseconds()
        let end = start + UInt64(seconds * 1e9)
        var now = start
        while now < end {
            guard write(file, record, record.count) == record.count, fdatasync(file) == 0 else {
                throw failure("append to the bare file")
            }
            let done = monotonicNanoseconds()
            latencies.record(done - now)
            now = done
        }
        return Double(now - start) / 1e9
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
            p50: Double(latencies.percentile(0.5)) / 1_000,
            p99: Double(latencies.percentile(0.99)) / 1_000)
    }
}
