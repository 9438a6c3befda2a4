public import PaymentCore
import StrictJSON

/// `restore`: restore the purchases of the account.
public enum RestorePurchases: Method {
    /// The selection of purchases.
    public struct Params: ParameterRecord {
        /// The idempotency key of the call.
        public var key: OpaqueText?
        /// The token of the purchases to restore; nil for all.
        public var appAccountToken: OpaqueText?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .optional(
                "key", \.key, .configured(.key),
                "The idempotency key; kept for at least 90 days and compared byte by byte.",
                example: "restore-12"),
            .optional(
                "appAccountToken", \.appAccountToken,
                .configured(.appAccountToken),
                "Only purchases with this token."),
        ]

        /// Creates parameters for all purchases.
        public init() {}
    }

    /// The accepted restore.
    public struct Result: WireResult, Hashable {
        /// The restore; the running one if the call joined it.
        public var restore: RestoreID
        /// The state of the restore.
        public var state: RestoreState
        /// The condition that the restore waits for; nil after its end.
        public var waitingFor: WaitingFor?
        /// The sequence number of the record of acceptance; the newest record for a joined restore.
        public var sequence: SequenceNumber
        /// True if the call joined an earlier restore.
        public var isDuplicate: Bool

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required("restore", \.restore, .identifier, "The restore."),
            .required("state", \.state, .word, "The state."),
            .optional("waitingFor", \.waitingFor, .word, "What it waits for."),
            .required(
                "seq", \.sequence, .sequence,
                """
                The sequence number of the record of acceptance; the newest record for a restore \
                that was joined.
                """),
            .required(
                "duplicate", \.isDuplicate, .flag, "Whether the call joined an earlier restore."),
        ])

        /// Creates a result.
        public init(
            restore: RestoreID, state: RestoreState, waitingFor: WaitingFor?,
            sequence: SequenceNumber, isDuplicate: Bool
        ) {
            self.restore = restore
            self.state = state
            self.waitingFor = waitingFor
            self.sequence = sequence
            self.isDuplicate = isDuplicate
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "restore",
        summary: "Restore what the account owns",
        description: """
            Accepts a restore. When the reply arrives, it is on stable storage. What the account \
            owns is sent as transactions in state restored, then exactly one restoreCompleted or \
            restoreFailed ends it, even across a restart. It needs an account in session and a \
            subscribed observer. A call with the same filter joins the running restore; a call \
            with another filter waits its turn.
            """,
        errors: [
            .keyReuse, .loginDiscarded, .shareExceeded, .draining, .tooManyInFlight, .cancelled,
            .notDurable, .indexRebuilding,
        ],
        role: .buy,
        waits: true,
        example: Result(
            restore: Examples.restoreID, state: .running, waitingFor: .store, sequence: 8,
            isDuplicate: false))
}
