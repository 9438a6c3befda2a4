/// A load: a number of connections, and the requests in flight on each of them.
public struct Shape: Sendable, Hashable, CustomStringConvertible {
    /// Open connections, at least 1.
    public let connections: Int
    /// Requests in flight on each connection, at least 1.
    public let depth: Int

    /// Creates a shape.
    public init(connections: Int, depth: Int) {
        precondition(connections > 0 && depth > 0, "a shape without load")
        self.connections = connections
        self.depth = depth
    }

    /// `50x16`.
    public var description: String { "\(connections)x\(depth)" }
}
