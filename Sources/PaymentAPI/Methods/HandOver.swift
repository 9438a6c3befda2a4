/// `handover`: give the queue to another node.
public enum HandOver: Method {
    /// The method has no parameters.
    public typealias Params = NoParameters

    /// The node that gives the queue away.
    public struct Result: WireResult, Hashable {
        /// The node that was the owner.
        public var node: String
        /// Its term, which ends.
        public var term: UInt64

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required("node", \.node, .text, "The node that gives the queue away."),
            .required("term", \.term, .count, "Its term. That of the next owner is greater."),
        ])

        /// Creates a result.
        public init(node: String, term: UInt64) {
            self.node = node
            self.term = term
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "handover",
        summary: "Give the queue to another node",
        description: """
            The owner replies, commits what it has taken, and gives its right back, so that another node owns \
            the queue a moment later. Then its program starts again and follows; its clients stay connected. \
            Without another node that is up it refuses with error -32014. A daemon with its log in local \
            files only refuses the call with error -32600.
            """,
        errors: [.tooManyInFlight, .shareExceeded, .cancelled, .noOwner],
        role: .admin,
        waits: true,
        example: Result(node: "west", term: 812))
}
