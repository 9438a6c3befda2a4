public import StrictJSON

/// `rpc.discover`: the contract for machines.
public enum DiscoverMethod: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// An OpenRPC document.
    public struct Result: WireResult, Hashable {
        /// The document.
        public var document: JSONValue

        /// Shows a document.
        public init(document: JSONValue) {
            self.document = document
        }

        /// The document as it is.
        public static let form = ResultForm<Result>(
            [
                "type": "object",
                "required": ["openrpc", "info", "methods"],
                "properties": [
                    "openrpc": ["type": "string"], "info": ["type": "object"],
                    "methods": ["type": "array"], "components": ["type": "object"],
                    "x-notifications": ["type": "array"], "x-limits": ["type": "object"],
                ],
            ]) { $1.value($0.document) }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "rpc.discover",
        summary: "Describe the interface as an OpenRPC document",
        description: """
            Returns an OpenRPC 1.4 document, generated from the types that decode requests. \
            Notifications are under x-notifications, limits under x-limits.
            """,
        role: .observe, queueCheck: .nothing,
        // The document cannot hold itself; the example shows its frame.
        example: Result(document: [
            "openrpc": .string(Discover.openRPCVersion),
            "info": ["title": .string(Version.server), "version": .string(Version.current)],
            "methods": [],
        ]))
}
