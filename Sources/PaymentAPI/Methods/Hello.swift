public import PaymentCore
public import StrictJSON

/// `hello`: say who you are and learn what there is.
public enum Hello: Method {
    /// The name and version of the client.
    public struct Params: Sendable, Hashable {
        /// The name of the client; names the connection in `status`, in records and in the log.
        public var client: OpaqueText?
        /// The version of the client.
        public var clientVersion: OpaqueText?
        /// The version of the interface that the client wants.
        public var api: Int?
    }

    /// The answer to `hello`.
    public struct Result: WireResult, Hashable {
        /// The epoch of the event log.
        public var epoch: String
        /// The oldest sequence number that is kept.
        public var oldest: SequenceNumber
        /// The newest one.
        public var head: SequenceNumber
        /// The user id that the kernel reported for the peer.
        public var uid: UInt32
        /// Its group id.
        public var gid: UInt32
        /// The roles of the peer.
        public var roles: Set<Role>
        /// The features of this daemon that another of the same version may lack.
        public var features: [String]
        /// The limits in force.
        public var limits: Limits

        /// Makes a result.
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

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"server\":{\"name\":")
            writer.string(Version.server)
            writer.raw(",\"version\":")
            writer.string(Version.current)
            writer.raw("},\"api\":")
            writer.integer(Version.api)
            writer.name("epoch")
            writer.string(epoch)
            writer.name("oldest")
            writer.integer(oldest)
            writer.name("head")
            writer.integer(head)
            writer.raw(",\"peer\":{\"uid\":")
            writer.integer(uid)
            writer.raw(",\"gid\":")
            writer.integer(gid)
            writer.raw("},\"roles\":")
            writer.strings(Role.allCases.filter(roles.contains).map(\.rawValue))
            writer.name("features")
            writer.strings(features)
            writer.name("limits")
            writer.limits(limits)
            writer.endObject()
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "hello",
        summary: "Introduce the client; learn versions, roles and limits",
        description: """
            Optional: every method works without it. The name appears in status, in the records \
            that this connection causes, and in the log. A later call replaces it.
            """,
        parameters: [
            .optional(
                "client",
                .record([
                    .required("name", .text(maximumBytes: 128), "The name of the client."),
                    .optional("version", .text(maximumBytes: 64), "The version of the client."),
                ]), "The client: name, version?."),
            .optional(
                "api", .integer(1...Int64(Int32.max)),
                """
                The version of the protocol that the client speaks; any other than the daemon's is \
                an error.
                """),
        ],
        resultSchema: resultSchema,
        errors: [.unsupportedVersion],
        role: .observe,
        example: .init(
            params: ["client": ["name": "shop", "version": "1.0"], "api": 1],
            result: Result(
                epoch: Examples.epoch, oldest: 1, head: 6, uid: 1000, gid: 1000,
                roles: [.observe, .buy, .gate], features: ["test"], limits: Limits())))

    private static let resultSchema = Schema.object([
        Schema.required(
            "server",
            Schema.object([
                Schema.required("name", Schema.text, "Always payqueued."),
                Schema.required("version", Schema.text, "The version of the daemon."),
            ]), "The name and version of the daemon."),
        Schema.required("api", Schema.count, "The version of the protocol."),
        Schema.required(
            "epoch", Schema.text,
            """
            The epoch of the log; it changes only when the log was lost or reset, or a backup was \
            restored.
            """),
        Schema.required(
            "oldest", Schema.sequence,
            """
            The sequence number of the oldest record that is kept.
            """),
        Schema.required("head", Schema.sequence, "The sequence number of the newest record."),
        Schema.required(
            "peer",
            Schema.object([
                Schema.required("uid", Schema.count, "The user id."),
                Schema.required("gid", Schema.count, "The group id."),
            ]), "The client's credentials, as the kernel reports them."),
        Schema.required(
            "roles", Schema.list(of: Schema.words(Role.allCases.map(\.rawValue))),
            "The roles of the client."),
        Schema.required(
            "features", Schema.list(of: Schema.text), "The optional features of this daemon."),
        Schema.required("limits", ["type": "object"], "The limits, by name."),
    ])

    private enum Place: Int, ParameterPlace {
        case client, api
    }

    /// Takes who calls.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        Params(
            client: arguments.memberText("name", of: Place.client, in: bytes),
            clientVersion: arguments.memberText("version", of: Place.client, in: bytes),
            api: arguments.integer(Place.api, in: bytes))
    }
}

extension JSONWriter {
    /// The limits by their configuration keys.
    mutating func limits(_ limits: Limits) {
        beginObject()
        for (limit, value) in limits.named {
            name(limit)
            integer(value)
        }
        endObject()
    }
}
