public import PaymentCore
import StrictJSON

/// `hello`: introduce the client and describe the daemon.
public enum Hello: Method {
    /// The client.
    public struct Params: ParameterRecord {
        /// The name of the client, for `status`, the records of its calls and the log.
        public var client: OpaqueText?
        /// The version of the client.
        public var clientVersion: OpaqueText?
        /// The version of the interface that the client requires; nil for any.
        public var api: Int?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .group(
                "client",
                [
                    .required(
                        "name", \.client,
                        ParameterForm<OpaqueText>.text(maximumBytes: 128).map { $0 },
                        "The name of the client."),
                    .optional(
                        "version", \.clientVersion, .text(maximumBytes: 64),
                        "The version of the client."),
                ], "The client: name, version?.",
                example: ["name": "shop", "version": "1.0"]),
            .optional(
                "api", \.api, .integer(1...Int64(Int32.max)),
                """
                The version of the protocol that the client speaks; any other than the daemon's is \
                an error.
                """, example: 1),
        ]

        /// Creates parameters without a name.
        public init() {}
    }

    /// The description of the daemon.
    public struct Result: WireResult, Hashable {
        /// The epoch of the event log.
        public var epoch: String
        /// The oldest kept sequence number.
        public var oldest: SequenceNumber
        /// The newest sequence number.
        public var head: SequenceNumber
        /// The user id of the peer, from the kernel.
        public var uid: UInt32
        /// The group id of the peer, from the kernel.
        public var gid: UInt32
        /// The roles of the peer.
        public var roles: Set<Role>
        /// The optional features of this daemon.
        public var features: [String]
        /// The current limits.
        public var limits: Limits

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required(
                "server", \.self,
                .object([
                    .required("name", { _ in Version.server }, .text, "Always payqueued."),
                    .required(
                        "version", { _ in Version.current }, .text, "The version of the daemon."),
                ]), "The name and version of the daemon."),
            .required("api", { _ in Version.api }, .count, "The version of the protocol."),
            .required(
                "epoch", \.epoch, .text,
                """
                The epoch of the log; it changes only when the log was lost or reset, or a backup \
                was restored.
                """),
            .required(
                "oldest", \.oldest, .sequence,
                "The sequence number of the oldest record that is kept."),
            .required("head", \.head, .sequence, "The sequence number of the newest record."),
            .required(
                "peer", \.self,
                .object([
                    .required("uid", \.uid, .count, "The user id."),
                    .required("gid", \.gid, .count, "The group id."),
                ]), "The client's credentials, as the kernel reports them."),
            .required(
                "roles", { Role.allCases.filter($0.roles.contains) }, .list(of: .word),
                "The roles of the client."),
            .required(
                "features", \.features, .list(of: .text),
                "The optional features of this daemon."),
            .required("limits", \.limits, limitsByName, "The limits, by name."),
        ])

        /// Creates a result.
        public init(
            epoch: String, oldest: SequenceNumber, head: SequenceNumber, uid: UInt32, gid: UInt32,
            roles: Set<Role>, features: [String], limits: Limits
        ) {
            self.epoch = epoch
            self.oldest = oldest
            self.head = head
            self.uid = uid
            self.gid = gid
            self.roles = roles
            self.features = features
            self.limits = limits
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "hello",
        summary: "Introduce the client; learn versions, roles and limits",
        description: """
            Optional: every method works without it. The name appears in status, in the records \
            that this connection causes, and in the log. A later call replaces it.
            """,
        errors: [.unsupportedVersion],
        role: .observe, hasEffect: true,
        example: Result(
            epoch: Examples.epoch, oldest: 1, head: 6, uid: 1000, gid: 1000,
            roles: [.observe, .buy, .gate], features: ["test"], limits: Limits()))

    /// The limits by their configuration keys.
    private static let limitsByName = ResultForm<Limits>(["type": "object"]) { limits, writer in
        writer.beginObject()
        for (limit, value) in limits.named {
            writer.name(limit)
            writer.integer(value)
        }
        writer.endObject()
    }
}
