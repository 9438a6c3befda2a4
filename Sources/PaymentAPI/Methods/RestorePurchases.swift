public import PaymentCore
public import StrictJSON

/// `restore`: be given again what the account owns.
public enum RestorePurchases: Method {
    /// The purchases to restore.
    public struct Params: Sendable, Hashable {
        /// The idempotency key of the call.
        public var key: OpaqueText?
        /// Only purchases with this token; nil for all.
        public var appAccountToken: OpaqueText?

        /// Makes the parameters.
        public init(key: OpaqueText? = nil, appAccountToken: OpaqueText? = nil) {
            self.key = key
            self.appAccountToken = appAccountToken
        }
    }

    /// The result of the call.
    public struct Result: WireResult, Hashable {
        /// The restore; the one that was joined if one ran for the same purchases.
        public var restore: RestoreID
        /// Where it stands.
        public var state: RestoreRecord.State
        /// The condition that it waits for; only while it has not ended.
        public var waitingFor: WaitingFor?
        /// The record that accepted it, or the position as of which the answer is true.
        public var sequence: SequenceNumber
        /// Whether the call came upon a restore that was there already.
        public var isDuplicate: Bool

        /// Makes a result.
        public init(
            restore: RestoreID, state: RestoreRecord.State, waitingFor: WaitingFor?,
            sequence: SequenceNumber, isDuplicate: Bool
        ) {
            self.restore = restore
            self.state = state
            self.waitingFor = waitingFor
            self.sequence = sequence
            self.isDuplicate = isDuplicate
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("restore")
            writer.identifier(restore)
            writer.name("state")
            writer.string(state.rawValue)
            if let waitingFor {
                writer.name("waitingFor")
                writer.string(waitingFor.wireWord)
            }
            writer.name("seq")
            writer.integer(sequence)
            writer.name("duplicate")
            writer.bool(isDuplicate)
            writer.endObject()
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "restore",
        summary: "Restore what the account owns",
        description: """
            Accepts a restore. When the reply arrives, it is on stable storage. What the account \
            owns is sent as transactions in state restored, then exactly one restoreCompleted or \
            restoreFailed ends it, even across a restart. It needs an account in session and a \
            subscribed observer. A call with the same filter joins the running restore; a call \
            with another filter waits its turn.
            """,
        parameters: [
            .optional(
                "key", .text(maximumBytes: Limits().keyBytes),
                "The idempotency key; kept for at least 90 days and compared byte by byte."),
            .optional(
                "appAccountToken", .text(maximumBytes: Limits().appAccountTokenBytes),
                "Only purchases with this token."),
        ],
        resultSchema: Schema.object([
            Schema.required("restore", Schema.identifier, "The restore."),
            Schema.required(
                "state", Schema.words(RestoreRecord.State.allCases.map(\.rawValue)),
                "The state."),
            Schema.optional(
                "waitingFor", Schema.words(WaitingFor.allCases.map(\.wireWord)),
                "What it waits for."),
            Schema.required(
                "seq", Schema.sequence,
                """
                The sequence number of the record of acceptance; the newest record for a restore that \
                was joined.
                """),
            Schema.required(
                "duplicate", Schema.flag,
                """
                Whether the call joined an earlier restore.
                """),
        ]),
        errors: [
            .keyReuse, .loginDiscarded, .shareExceeded, .draining, .tooManyInFlight, .cancelled,
            .notDurable,
        ],
        role: .buy,
        waits: true,
        example: .init(
            params: ["key": "restore-12"],
            result: Result(
                restore: Examples.restoreID, state: .running, waitingFor: .store, sequence: 8,
                isDuplicate: false)))

    private enum Place: Int, ParameterPlace {
        case key, appAccountToken
    }

    /// Takes what to restore.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        Params(
            key: arguments.text(Place.key, in: bytes),
            appAccountToken: arguments.text(Place.appAccountToken, in: bytes))
    }
}
