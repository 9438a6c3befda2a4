/// The benchmark cannot go on. A figure from a run that failed would be worse than none.
public struct BenchFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The attempt, its object and the cause.
    public let description: String

    /// Creates a failure.
    public init(_ description: String) {
        self.description = description
    }
}
