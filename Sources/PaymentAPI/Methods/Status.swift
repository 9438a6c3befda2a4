import PaymentCore
import StrictJSON

/// `status`: the state of the daemon and of its queue.
public enum Status: Method {
    /// The method has no parameters.
    public typealias Params = NoParameters

    /// The report, defined in a file of its own.
    public typealias Result = StatusReport

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "status",
        summary: "Show daemon status and what transactions are waiting for",
        description: """
            Shows the account in session, the queue and what its transactions wait for, the store, \
            the log, the disk, and connections: the caller's own, or all of them with the role admin. \
            With that role it also shows what each user holds of the limits that users share.
            """,
        role: .observe,
        example: example)

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
        storage: storage,
        store: .init(
            name: "sandbox", state: .available, since: Examples.purchased.createdAt,
            lastError: nil, nextTryAt: nil),
        canMakePayments: .init(value: true, reason: nil),
        shares: [.init(uid: 1000, units: [.connections: 1, .subscriptions: 1])])

    private static var storage: StatusReport.Storage {
        var storage = StatusReport.Storage()
        storage.archiveFiles = 1
        storage.archiveBytes = 4096
        storage.unarchived = 2
        storage.room = Room(
            freeBytes: 8_000_000_000, prefilledBytes: 1_046_528, reserveBytes: 4_194_304,
            claimedBytes: 6400, availableBytes: 8_004_185_856)
        return storage
    }
}
