public import PaymentCore
public import StrictJSON

/// `wait`: answer when a transaction is where the caller wants it.
public enum WaitForTransaction: Method {
    /// What can be waited for.
    public enum Goal: String, Sendable, Hashable, CaseIterable {
        /// Not yet decided.
        case purchasing
        /// Paid.
        case purchased
        /// Given back by a restore.
        case restored
        /// Ended without a purchase.
        case failed
        /// Left the queue.
        case removed

        /// Reached by a transaction in this state.
        public init(_ phase: TransactionState.Phase) {
            switch phase {
            case .purchasing: self = .purchasing
            case .purchased: self = .purchased
            case .restored: self = .restored
            case .failed: self = .failed
            }
        }
    }

    /// What to wait for.
    public struct Params: Sendable, Hashable {
        /// The transaction as the client names it.
        public var transaction: TransactionReference
        /// Any of these ends the wait.
        public var until: Set<Goal>
        /// How long to wait at most.
        public var timeout: Duration

        /// Makes the parameters.
        public init(transaction: TransactionReference, until: Set<Goal>, timeout: Duration) {
            self.transaction = transaction
            self.until = until
            self.timeout = timeout
        }
    }

    /// The transaction when the wait ended.
    public struct Result: WireResult {
        /// The transaction as it is now, or was when it left the queue.
        public var entry: Transactions.Result.Entry
        /// Whether it is where the caller wanted it; false if the time ran out first.
        public var isReached: Bool
        /// The position as of which the answer is true.
        public var sequence: SequenceNumber

        /// Makes a result.
        public init(
            entry: Transactions.Result.Entry, isReached: Bool, sequence: SequenceNumber
        ) {
            self.entry = entry
            self.isReached = isReached
            self.sequence = sequence
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"transaction\":")
            writer.transaction(
                entry.transaction, waitingFor: entry.waitingFor, finish: entry.finish)
            writer.raw(isReached ? ",\"reached\":true,\"seq\":" : ",\"reached\":false,\"seq\":")
            writer.integer(sequence)
            writer.raw("}")
        }
    }

    /// The longest wait, in seconds.
    static let longestSeconds: Int64 = 60

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "wait",
        summary: "Wait until a transaction is decided",
        description: """
            For scripts: answers as soon as the transaction is in one of the wanted states, at \
            once if it is already. When the time runs out the answer is normal, with reached \
            false. Requests behind it on the same connection are answered meanwhile.
            """,
        parameters: [
            .required("transaction", .text(maximumBytes: nil), "The transaction."),
            .optional(
                "until", .list(of: .word(Goal.allCases.map(\.rawValue)), count: 1...5),
                "What to wait for; without it any state but purchasing, or the removal."),
            .optional(
                "timeout", .seconds(0...longestSeconds),
                "Seconds to wait at most; \(longestSeconds) without it."),
        ],
        resultSchema: Schema.object([
            Schema.required("transaction", Schema.reference("Transaction"), "As it is now."),
            Schema.required("reached", Schema.flag, "False if the time ran out first."),
            Schema.required("seq", Schema.sequence, "The position as of which this is true."),
        ]),
        errors: [.unknownTransaction, .tooManyInFlight, .cancelled],
        role: .observe,
        waits: true,
        example: .init(
            params: [
                "transaction": .string(Examples.transactionID.description), "until": ["purchased"],
                "timeout": 5,
            ],
            result: Result(
                entry: .init(transaction: Examples.purchased, waitingFor: nil), isReached: true,
                sequence: 6)))

    private enum Place: Int, ParameterPlace {
        case transaction, until, timeout
    }

    /// Takes what to wait for.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        let until: [Goal]? = arguments.words(Place.until, in: bytes)
        return Params(
            transaction: arguments.transaction(Place.transaction, in: bytes),
            until: until.map { Set($0) } ?? [.purchased, .restored, .failed, .removed],
            timeout: arguments.seconds(Place.timeout, in: bytes) ?? .seconds(longestSeconds))
    }
}
