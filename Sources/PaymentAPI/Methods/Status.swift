import PaymentCore
import StrictJSON

/// `status`: what the daemon is doing, and why nothing moves.
public enum Status: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// The report; its type has a file of its own.
    public typealias Result = StatusReport

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "status",
        summary: "Show daemon status and what transactions are waiting for",
        description: """
            Shows the account in session, the queue and what its transactions wait for, the store, \
            the log, the disk, and connections: the caller's own, or all of them with role A.
            """,
        resultSchema: schema,
        role: .observe,
        example: .init(result: example))

    private static let example = StatusReport(
        state: .running, since: Examples.purchased.createdAt,
        session: Session(account: "demo", country: Examples.country),
        queue: .init(counts: StateCounts(), waitingFor: [:]),
        log: .init(oldest: 1, head: 6, bytes: 2048),
        connections: [
            .init(
                uid: 1000, client: "shop", subscriptions: 1, lag: 0, bufferedBytes: 0,
                isPaused: false)
        ],
        persistence: .init(
            lastCommit: Examples.purchased.updatedAt, isVolatile: false, lastError: nil),
        store: .init(
            name: "sandbox", state: .available, since: Examples.purchased.createdAt,
            lastError: nil, nextTryAt: nil),
        canMakePayments: .init(value: true, reason: nil))

    private static let schema = Schema.object([
        Schema.required(
            "state", Schema.words(StatusReport.State.allCases.map(\.rawValue)),
            """
            The state of the daemon.
            """),
        Schema.required("since", Schema.time, "The time since which it is in that state."),
        Schema.required("account", Schema.nullable(Schema.text), "The account in session."),
        Schema.required(
            "storefront", Schema.nullable(Schema.reference("Storefront")),
            """
            The storefront of the account.
            """),
        Schema.optional(
            "sessionEnded", ended,
            "The session that the store has ended; present until the next login."),
        Schema.required(
            "queue", queue,
            "What the account in session may see, and what waits for an account whose session the "
                + "store has ended."),
        Schema.required("log", log, "The event log."),
        Schema.required("connections", Schema.list(of: connection), "Oldest first."),
        Schema.required("questions", Schema.count, "The open questions."),
        Schema.required("persistence", persistence, "The disk."),
        Schema.required("store", store, "The store."),
        Schema.required(
            "restores", Schema.list(of: Schema.reference("Restore")), "The running restores."),
        Schema.required(
            "canMakePayments",
            Schema.object([
                Schema.required("value", Schema.flag, "Whether a new payment would be accepted."),
                Schema.optional("reason", Schema.text, "The reason why not."),
            ]), "Whether the account may make payments."),
    ])

    private static let ended = Schema.object([
        Schema.required("account", Schema.text, "The account that must log in again."),
        Schema.required(
            "storefront", Schema.reference("Storefront"),
            """
            The storefront of the account.
            """),
        Schema.required("at", Schema.time, "The time at which the daemon learned of it."),
    ])

    private static let queue = Schema.object([
        Schema.required("unfinished", Schema.count, "The number of unfinished transactions."),
        Schema.required(
            "byState",
            Schema.object(
                TransactionState.Phase.allCases.map {
                    Schema.required($0.wireWord, Schema.count, "The number of transactions.")
                }), "The number of unfinished transactions by state."),
        Schema.required(
            "completing", Schema.count,
            """
            The number of purchased transactions that are finished and not yet confirmed by the store.
            """),
        Schema.required(
            "waitingFor",
            Schema.object(
                WaitingFor.allCases.map {
                    Schema.optional(
                        $0.wireWord, Schema.count,
                        """
                        The number of transactions.
                        """)
                }),
            "The number of purchasing transactions by what they wait for."),
    ])

    private static let log = Schema.object([
        Schema.required(
            "oldest", Schema.sequence,
            """
            The sequence number of the oldest record that is kept.
            """),
        Schema.required("head", Schema.sequence, "The sequence number of the newest record."),
        Schema.required("bytes", Schema.count, "The size on disk, in bytes."),
    ])

    private static let connection = Schema.object([
        Schema.required("uid", Schema.count, "The user id of the peer."),
        Schema.optional("client", Schema.text, "The name that the client gave with hello."),
        Schema.required("subscriptions", Schema.count, "The number of its subscriptions."),
        Schema.required(
            "lag", Schema.count,
            """
            The largest number of records by which one of its subscriptions is behind.
            """),
        Schema.required(
            "bufferedBytes", Schema.count, "The bytes that are buffered for it, in and out."),
        Schema.required("paused", Schema.flag, "Whether it reads more slowly than events arrive."),
    ])

    private static let persistence = Schema.object([
        Schema.optional("lastCommit", Schema.time, "The time of the last sync to disk."),
        Schema.required(
            "volatile", Schema.flag,
            """
            Whether the state directory is volatile: it is lost with the machine or container.
            """),
        Schema.optional("lastError", Schema.text, "The last error."),
    ])

    private static let store = Schema.object([
        Schema.required("name", Schema.text, "The name of the store."),
        Schema.required(
            "state", Schema.words(StatusReport.StoreState.allCases.map(\.rawValue)), "Its state."),
        Schema.required("since", Schema.time, "The time since which it is in that state."),
        Schema.optional("lastError", Schema.text, "The last error of the store."),
        Schema.optional(
            "nextTryAt", Schema.time,
            """
            The time of the next attempt; absent if it is not known.
            """),
    ])
}
