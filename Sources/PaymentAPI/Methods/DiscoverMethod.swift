public import StrictJSON

/// `rpc.discover`: the contract for machines.
public enum DiscoverMethod: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// An OpenRPC document, written once: it is long, and the same in every reply.
    public struct Result: WireResult, Hashable {
        private let bytes: [UInt8]

        /// Writes a document.
        public init(document: JSONValue) {
            var writer = JSONWriter()
            writer.value(document)
            bytes = writer.bytes
        }

        /// Appends the document.
        public func write(into writer: inout JSONWriter) {
            writer.raw(bytes)
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "rpc.discover",
        summary: "Describe the interface as an OpenRPC document",
        description: """
            Returns an OpenRPC 1.4 document, generated from the types that decode requests. \
            Notifications are under x-notifications, limits under x-limits.
            """,
        resultSchema: [
            "type": "object",
            "required": ["openrpc", "info", "methods"],
            "properties": [
                "openrpc": ["type": "string"], "info": ["type": "object"],
                "methods": ["type": "array"], "components": ["type": "object"],
                "x-notifications": ["type": "array"], "x-limits": ["type": "object"],
            ],
        ],
        role: .observe,
        // The document cannot hold itself; the example shows its frame.
        example: .init(
            result: Result(document: [
                "openrpc": .string(Discover.openRPCVersion),
                "info": ["title": .string(Version.server), "version": .string(Version.current)],
                "methods": [],
            ])))
}
