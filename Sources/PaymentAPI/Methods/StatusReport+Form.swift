import PaymentCore
import StrictJSON

extension StatusReport {
    /// The members of the report.
    public static let form = ResultForm<StatusReport>.object([
        .required("state", \.state, .word, "The state of the daemon."),
        .required("since", \.since, .time, "The time since which it is in that state."),
        .required("account", \.session?.account, .nullable(.opaque), "The account in session."),
        .required(
            "storefront", \.session?.country, .nullable(CountryCode.storefront),
            "The storefront of the account."),
        .optional(
            "sessionEnded", \.endedSession, ended,
            "The session that the store has ended; present until the next login."),
        .required(
            "queue", \.queue, queueForm,
            "What the account in session may see, and what waits for an account whose session the "
                + "store has ended."),
        .required("log", \.log, logForm, "The event log."),
        .required("connections", \.connections, .list(of: connection), "Oldest first."),
        .required("questions", \.questions, .count, "The open questions."),
        .required("persistence", \.persistence, persistenceForm, "The disk."),
        .required("storage", \.storage, storageForm, "The files and the room for them."),
        .required("store", \.store, storeForm, "The store."),
        .required(
            "restores", \.restores, .list(of: RestoreRecord.form), "The running restores."),
        .required(
            "canMakePayments", \.canMakePayments,
            .object([
                .required("value", \.value, .flag, "Whether a new payment would be accepted."),
                .optional("reason", \.reason, .text, "The reason why not."),
            ]), "Whether the account may make payments."),
        .optional(
            "shares", \.shares, sharesForm,
            "What each user holds of the limits that users share, by user id; present with the role admin."
        ),
    ])

    static let ended = ResultForm<EndedSession>.object([
        .required("account", \.session.account, .opaque, "The account that must log in again."),
        .required(
            "storefront", \.session.country, CountryCode.storefront,
            "The storefront of the account."),
        .required("at", \.endedAt, .time, "The time at which the daemon learned of it."),
    ])

    private static let queueForm = ResultForm<Queue>.object([
        .required(
            "unfinished", \.counts.unfinished, .count,
            "The number of unfinished transactions."),
        .required(
            "byState", \.counts,
            .object([
                .required("purchasing", \.purchasing, .count, "The number of transactions."),
                .required(
                    "purchased", { $0.purchased + $0.completing }, .count,
                    "The number of transactions."),
                .required("restored", \.restored, .count, "The number of transactions."),
                .required("failed", \.failed, .count, "The number of transactions."),
            ]), "The number of unfinished transactions by state."),
        .required(
            "completing", \.counts.completing, .count,
            """
            The number of purchased transactions that are finished and not yet confirmed by the \
            store.
            """),
        .required(
            "waitingFor", { $0.waitingFor.filter { $0.value > 0 } },
            .object(
                WaitingFor.allCases.map { reason in
                    .optional(
                        reason.rawValue, { $0[reason] }, .count, "The number of transactions.")
                }), "The number of purchasing transactions by what they wait for."),
    ])

    private static let logForm = ResultForm<Log>.object([
        .required(
            "oldest", \.oldest, .sequence,
            "The sequence number of the oldest record that is kept."),
        .required("head", \.head, .sequence, "The sequence number of the newest record."),
        .required("bytes", \.bytes, .count, "The size on disk, in bytes."),
    ])

    private static let connection = ResultForm<Connection>.object([
        .required("uid", \.uid, .count, "The user id of the peer."),
        .optional("client", \.client, .opaque, "The name that the client gave with hello."),
        .required("subscriptions", \.subscriptions, .count, "The number of its subscriptions."),
        .required(
            "lag", \.lag, .count,
            "The largest number of records by which one of its subscriptions is behind."),
        .required(
            "bufferedBytes", \.bufferedBytes, .count,
            "The bytes that are buffered for it, in and out."),
        .required(
            "paused", \.isPaused, .flag, "Whether it reads more slowly than events arrive."),
    ])

    private static let persistenceForm = ResultForm<Persistence>.object([
        .optional("lastCommit", \.lastCommit, .time, "The time of the last sync to disk."),
        .required(
            "volatile", \.isVolatile, .flag,
            "Whether the state directory is volatile: it is lost with the machine or container."),
        .optional("lastError", \.lastError, .text, "The last error."),
    ])

    private static let storeForm = ResultForm<Store>.object([
        .required("name", \.name, .text, "The name of the store."),
        .required("state", \.state, .word, "Its state."),
        .required("since", \.since, .time, "The time since which it is in that state."),
        .optional(
            "lastError", \.lastError, .text,
            "The error of the store's last answer; absent after a success."),
        .optional(
            "nextTryAt", \.nextTryAt, .time,
            "The time of the next attempt; absent if it is not known."),
    ])
}

extension StatusReport.State: WireWord {}

extension StatusReport.StoreState: WireWord {}
