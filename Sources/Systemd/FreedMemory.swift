/// Decides when the memory that was freed is given back to the system.
///
/// The C library keeps freed memory for later. The buffers of many busy connections can be a hundred times what an
/// idle daemon needs, and would stay with it.
public struct FreedMemory: Sendable {
    /// Memory is released when at least this many connections were open and half of them have closed.
    public static let manyConnections = 16
    /// Memory is released when the process has grown by more than this number of bytes.
    public static let growthBytes = 32 << 20
    /// The minimum time between two releases: one takes milliseconds.
    public static let pace = Duration.seconds(5)

    private var mostConnections = 0
    private var settledBytes = Int.max - growthBytes
    private var last: Duration?

    /// Creates the state for a process that has not grown yet.
    public init() {}

    /// Whether memory is to be released now: at least half of many connections are closed, or the process has
    /// grown.
    ///
    /// - Parameters:
    ///   - connections: How many connections are open.
    ///   - residentBytes: The memory of the process.
    ///   - now: The monotonic time.
    /// - Returns: True if the caller must release it and then call ``settled(at:)``.
    public mutating func mustRelease(
        connections: Int, residentBytes: Int, now: Duration
    ) -> Bool {
        mostConnections = max(mostConnections, connections)
        settledBytes = min(settledBytes, residentBytes)
        let haveLeft =
            mostConnections >= Self.manyConnections && connections <= mostConnections / 2
        guard haveLeft || residentBytes > settledBytes + Self.growthBytes,
            last.map({ now - $0 >= Self.pace }) ?? true
        else { return false }
        mostConnections = connections
        last = now
        return true
    }

    /// Records the memory of the process after a release. That memory is in use.
    ///
    /// - Parameter residentBytes: The memory of the process.
    public mutating func settled(at residentBytes: Int) {
        settledBytes = residentBytes
    }
}
