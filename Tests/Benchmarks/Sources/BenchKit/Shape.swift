/// How hard a server is pushed: so many connections, each with so many requests in flight.
public struct Shape: Sendable, Hashable, CustomStringConvertible {
    /// Open connections, at least 1.
    public let connections: Int
    /// Requests in flight on each connection, at least 1.
    public let depth: Int

    /// The shapes that the project promises something about.
    public static let promised = [
        Shape(connections: 1, depth: 1), Shape(connections: 16, depth: 1),
        Shape(connections: 50, depth: 1), Shape(connections: 50, depth: 16),
    ]

    /// Creates a shape.
    public init(connections: Int, depth: Int) {
        precondition(connections > 0 && depth > 0, "a shape without load")
        self.connections = connections
        self.depth = depth
    }

    /// Reads `50x16`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let connections = Int(parts[0]), let depth = Int(parts[1]),
            connections > 0, depth > 0
        else { return nil }
        self.init(connections: connections, depth: depth)
    }

    /// `50x16`.
    public var description: String { "\(connections)x\(depth)" }
}
