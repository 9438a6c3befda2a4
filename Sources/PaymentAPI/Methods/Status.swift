import PaymentCore
import StrictJSON

/// `status`: what the daemon is doing, and why nothing moves.
public enum Status: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// The report; its type has a file of its own.
    public typealias Result = StatusReport

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "status",
        summary: "Show what the daemon is doing, and why nothing moves",
        description: """
            The account, the queue and what its transactions wait for, the store, the log, the \
            disk, and the connections: your own, or all of them for an administrator.
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
            "state", Schema.words(StatusReport.State.allCases.map(\.rawValue)), "The daemon's."),
        Schema.required("since", Schema.time, "When it got into that state."),
        Schema.required("account", Schema.nullable(Schema.text), "The account in session."),
        Schema.required(
            "storefront", Schema.nullable(Schema.reference("Storefront")), "Its storefront."),
        Schema.optional(
            "sessionEnded", ended,
            "The session that the store has ended; there until somebody logs in."),
        Schema.required(
            "queue", queue,
            "What the account in session may see, and what waits for an account whose session the "
                + "store has ended."),
        Schema.required("log", log, "The event log."),
        Schema.required("connections", Schema.list(of: connection), "Oldest first."),
        Schema.required("questions", Schema.count, "Decisions that are open."),
        Schema.required("persistence", persistence, "The disk."),
        Schema.required("store", store, "The store."),
        Schema.required(
            "restores", Schema.list(of: Schema.reference("Restore")), "Restores that run."),
        Schema.required(
            "canMakePayments",
            Schema.object([
                Schema.required("value", Schema.flag, "Whether a new payment would be accepted."),
                Schema.optional("reason", Schema.text, "Why not."),
            ]), "Whether the account may buy."),
    ])

    private static let ended = Schema.object([
        Schema.required("account", Schema.text, "The account that has to log in again."),
        Schema.required("storefront", Schema.reference("Storefront"), "Its storefront."),
        Schema.required("at", Schema.time, "When the queue learnt of it."),
    ])

    private static let queue = Schema.object([
        Schema.required("unfinished", Schema.count, "All that is not finished."),
        Schema.required(
            "byState",
            Schema.object(
                TransactionState.Phase.allCases.map {
                    Schema.required($0.wireWord, Schema.count, "So many.")
                }), "By state."),
        Schema.required("completing", Schema.count, "Of the purchased: finished, store not told."),
        Schema.required(
            "waitingFor",
            Schema.object(
                WaitingFor.allCases.map { Schema.optional($0.wireWord, Schema.count, "So many.") }),
            "Of the purchasing: what they wait for."),
    ])

    private static let log = Schema.object([
        Schema.required("oldest", Schema.sequence, "The oldest record kept."),
        Schema.required("head", Schema.sequence, "The newest record."),
        Schema.required("bytes", Schema.count, "Its size on disk."),
    ])

    private static let connection = Schema.object([
        Schema.required("uid", Schema.count, "The user id of the peer."),
        Schema.optional("client", Schema.text, "The name that it gave with hello."),
        Schema.required("subscriptions", Schema.count, "How many it has."),
        Schema.required("lag", Schema.count, "The most records that one of them is behind."),
        Schema.required(
            "bufferedBytes", Schema.count, "What is held for it, on its way in or out."),
        Schema.required("paused", Schema.flag, "Whether it reads too slowly."),
    ])

    private static let persistence = Schema.object([
        Schema.optional("lastCommit", Schema.time, "When something was last put on disk."),
        Schema.required("volatile", Schema.flag, "Whether the state is lost with the machine."),
        Schema.optional("lastError", Schema.text, "What last went wrong."),
    ])

    private static let store = Schema.object([
        Schema.required("name", Schema.text, "Which store."),
        Schema.required(
            "state", Schema.words(StatusReport.StoreState.allCases.map(\.rawValue)), "Its state."),
        Schema.required("since", Schema.time, "Since when."),
        Schema.optional("lastError", Schema.text, "What it last failed with."),
        Schema.optional("nextTryAt", Schema.time, "When it is tried again, if that is known."),
    ])
}
