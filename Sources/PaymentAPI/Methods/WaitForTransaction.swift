public import PaymentCore
public import StrictJSON

/// `wait`: answer when a transaction is where the caller wants it, or a restore has ended.
public enum WaitForTransaction: Method {
    /// The states that can be waited for.
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

    /// The transaction or restore that is waited for.
    public enum Subject: Sendable, Hashable {
        /// A transaction as the client names it.
        case transaction(TransactionReference)
        /// A restore; nil for text that never named one.
        case restore(RestoreID?, text: OpaqueText)
    }

    /// The states to wait for.
    public struct Params: Sendable, Hashable {
        /// The transaction, or the restore.
        public var subject: Subject
        /// Any of these ends the wait for a transaction.
        public var until: Set<Goal>
        /// How long to wait at most.
        public var timeout: Duration

        /// Makes the parameters.
        public init(subject: Subject, until: Set<Goal>, timeout: Duration) {
            self.subject = subject
            self.until = until
            self.timeout = timeout
        }
    }

    /// The transaction, or the restore, when the wait ended.
    public struct Result: WireResult {
        /// The transaction or restore that was waited for, as it is now.
        public enum Record: Sendable, Hashable {
            /// The transaction as it is now, or was when it left the queue.
            case transaction(Transactions.Result.Entry)
            /// The restore.
            case restore(RestoreRecord)
        }

        /// The transaction or restore that was waited for.
        public var record: Record
        /// Whether it is where the caller wanted it; false if the time ran out first.
        public var isReached: Bool
        /// The position as of which the answer is true.
        public var sequence: SequenceNumber

        /// Makes a result.
        public init(record: Record, isReached: Bool, sequence: SequenceNumber) {
            self.record = record
            self.isReached = isReached
            self.sequence = sequence
        }

        /// Makes a result about a transaction.
        public init(
            entry: Transactions.Result.Entry, isReached: Bool, sequence: SequenceNumber
        ) {
            self.init(record: .transaction(entry), isReached: isReached, sequence: sequence)
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            switch record {
            case .transaction(let entry):
                writer.raw("{\"transaction\":")
                writer.transaction(
                    entry.transaction, waitingFor: entry.waitingFor, finish: entry.finish)
            case .restore(let restore):
                writer.raw("{\"restore\":")
                writer.restoreRecord(restore)
            }
            writer.raw(isReached ? ",\"reached\":true,\"seq\":" : ",\"reached\":false,\"seq\":")
            writer.integer(sequence)
            writer.raw("}")
        }
    }

    /// The longest wait, in seconds.
    static let longestSeconds: Int64 = 60

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "wait",
        summary: "Wait until a transaction is settled, or a restore has ended",
        description: """
            For scripts: replies as soon as the transaction is in one of the wanted states, or the \
            restore has ended; immediately if it already is. If the time runs out, the reply is \
            normal, with reached false. Later requests on the same connection are answered \
            meanwhile.
            """,
        parameters: [
            .optional("transaction", .text(maximumBytes: nil), "The transaction."),
            .optional(
                "restore", .text(maximumBytes: nil),
                """
                The restore, instead of a transaction.
                """),
            .optional(
                "until", .list(of: .word(Goal.allCases.map(\.rawValue)), count: 1...5),
                "The states to wait for; default: any state but purchasing, or the removal. "
                    + "For transactions only."),
            .optional(
                "timeout", .seconds(0...longestSeconds),
                "The longest time to wait, in seconds; default \(longestSeconds)."),
        ],
        resultSchema: Schema.object([
            Schema.optional(
                "transaction", Schema.reference("Transaction"),
                """
                The current state of it.
                """),
            Schema.optional("restore", Schema.reference("Restore"), "The current state of it."),
            Schema.required(
                "reached", Schema.flag,
                """
                Whether it was reached before the time ran out.
                """),
            Schema.required(
                "seq", Schema.sequence,
                """
                The position in the log that this result reflects.
                """),
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
        case transaction, restore, until, timeout
    }

    /// Takes what to wait for.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        let until: [Goal]? = arguments.words(Place.until, in: bytes)
        let subject = try subject(arguments, in: bytes)
        if case .restore = subject, until != nil {
            throw InvalidParameters(
                .unknownParam, at: "/until", expected: "until is not used with restore")
        }
        return Params(
            subject: subject, until: until.map { Set($0) } ?? Goal.settled,
            timeout: arguments.seconds(Place.timeout, in: bytes) ?? .seconds(longestSeconds))
    }

    private static func subject(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Subject {
        guard let restore = arguments.text(Place.restore, in: bytes) else {
            guard arguments.token(Place.transaction) != nil else {
                throw InvalidParameters(
                    .missingParam, at: "/transaction", expected: "transaction or restore")
            }
            return .transaction(arguments.transaction(Place.transaction, in: bytes))
        }
        guard arguments.token(Place.transaction) == nil else {
            throw InvalidParameters(
                .unknownParam, at: "/restore", expected: "transaction or restore, not both")
        }
        return .restore(RestoreID(restore.string), text: restore)
    }
}

extension WaitForTransaction.Goal {
    /// Every end that a transaction can come to.
    static let settled: Set<Self> = [.purchased, .restored, .failed, .removed]
}
