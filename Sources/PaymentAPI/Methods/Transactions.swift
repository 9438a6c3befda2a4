public import PaymentCore
import StrictJSON

/// `transactions`: list what the queue holds.
public enum Transactions: Method {
    /// The states that can be asked for.
    public enum StateFilter: String, Sendable, Hashable, CaseIterable {
        /// Not yet decided.
        case purchasing
        /// Paid.
        case purchased
        /// Given back by a restore.
        case restored
        /// Ended without a purchase.
        case failed
        /// Left the queue; kept for at least 90 days.
        case finished
    }

    /// The transactions to list.
    public struct Params: ParameterRecord {
        /// Only these; those that nobody knows are left out.
        public var ids: [TransactionReference]?
        /// Only those in one of these states; nil for everything unfinished.
        public var states: Set<StateFilter>?
        /// Only those that wait for one of these.
        public var waitingFor: Set<WaitingFor>?
        /// Only those that have this text, as ``SearchText`` compares.
        public var search: OpaqueText?
        /// At most so many.
        public var limit = Paging.defaultLimit
        /// Where an earlier answer said to go on.
        public var page: OpaqueText?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .optional(
                "ids", \.ids, .list(of: .transaction, count: 1...Paging.largestLimit),
                "Only these transactions; unknown identifiers are left out."),
            .optional(
                "states", \.states, .set(of: .word, count: 1...5),
                "Only these states; finished lists transactions that have left the queue.",
                example: ["purchased"]),
            .optional(
                "waitingFor", \.waitingFor, .set(of: .word, count: 1...5),
                "Only transactions that wait for one of these."),
            .optional(
                "search", \.search, .text(maximumBytes: 256),
                """
                Only transactions whose identifier or order identifier begins with this text (4 \
                digits or more), or whose product identifier or account token contains it. The case \
                of ASCII letters does not matter.
                """),
            Paging.limit(\.limit), Paging.page(\.page),
        ]

        /// Everything unfinished.
        public init() {}
    }

    /// One page.
    public struct Result: WireResult {
        /// A transaction of the list.
        public struct Entry: Sendable, Hashable {
            /// The snapshot.
            public var transaction: Transaction
            /// The condition that it waits for now.
            public var waitingFor: WaitingFor?
            /// How it left the queue, if it did.
            public var finish: Finish?

            /// Lists a transaction.
            public init(
                transaction: Transaction, waitingFor: WaitingFor?, finish: Finish? = nil
            ) {
                self.transaction = transaction
                self.waitingFor = waitingFor
                self.finish = finish
            }
        }

        /// The transactions in the order of acceptance, finished ones in the order of leaving.
        public var entries: [Entry]
        /// The position as of which the list is true.
        public var sequence: SequenceNumber
        /// Where to go on; nil after the last page.
        public var next: String?

        /// The members.
        public static let form = ResultForm<Result>.object([
            .required(
                "transactions", \.entries, .list(of: Entry.form),
                "The transactions, in the order of acceptance."),
            .required(
                "seq", \.sequence, .sequence,
                "The position in the log that this result reflects."),
            Paging.next(\.next),
        ])

        /// A page of these transactions.
        public init(entries: [Entry], sequence: SequenceNumber, next: String? = nil) {
            self.entries = entries
            self.sequence = sequence
            self.next = next
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "transactions",
        summary: "List transactions",
        description: """
            Without parameters, lists all unfinished transactions that are visible to the account \
            in session; with several conditions, only those that meet all of them. A list that does \
            not fit in one reply comes in pages: repeat the call with page set to next. One call \
            examines a limited number of transactions, so a page can be short or empty and still \
            have next.
            """,
        errors: [.pageExpired],
        role: .observe, queueCheck: .nothing,
        example: Result(
            entries: [.init(transaction: Examples.purchased, waitingFor: nil)], sequence: 6))
}

extension Transactions.StateFilter: WireWord {}
