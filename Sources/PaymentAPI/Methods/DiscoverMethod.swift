public import StrictJSON

/// `rpc.discover`: the contract in machine-readable form.
public enum DiscoverMethod: Method {
    /// The method has no parameters.
    public typealias Params = NoParameters

    /// An OpenRPC document, serialized once, because it is long and the same in every reply.
    public struct Result: WireResult, Hashable {
        private let bytes: [UInt8]

        /// Serializes a document.
        public init(document: JSONValue) {
            var writer = JSONWriter()
            writer.value(document)
            bytes = writer.bytes
        }

        /// The form of the document.
        public static let form = ResultForm<Result>(
            [
                "type": "object",
                "required": ["openrpc", "info", "methods"],
                "properties": [
                    "openrpc": ["type": "string"], "info": ["type": "object"],
                    "methods": ["type": "array"], "components": ["type": "object"],
                    "x-notifications": ["type": "array"], "x-limits": ["type": "object"],
                ],
            ]) { $1.raw($0.bytes) }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "rpc.discover",
        summary: "Describe the interface as an OpenRPC document",
        description: """
            Returns an OpenRPC 1.4 document, generated from the types that decode requests. \
            Notifications are under x-notifications, limits under x-limits.
            """,
        role: .observe,
        // The document cannot contain itself, so the example has only its frame.
        example: Result(document: [
            "openrpc": .string(Discover.openRPCVersion),
            "info": ["title": .string(Version.server), "version": .string(Version.current)],
            "methods": [],
        ]))
}
