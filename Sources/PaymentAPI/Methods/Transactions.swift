public import PaymentCore
import StrictJSON

/// `transactions`: list transactions of the queue.
public enum Transactions: Method {
    /// The states to select.
    public enum StateFilter: String, Sendable, Hashable, CaseIterable {
        /// The purchase is in progress.
        case purchasing
        /// The purchase is paid.
        case purchased
        /// The transaction comes from a restore.
        case restored
        /// The purchase ended unpaid.
        case failed
        /// The transaction has left the queue; it is kept for at least 90 days.
        case finished
    }

    /// The selection of transactions.
    public struct Params: ParameterRecord {
        /// The references to select; unknown ones are ignored. Nil for no restriction.
        public var ids: [TransactionReference]?
        /// The states to select; nil for all unfinished transactions.
        public var states: Set<StateFilter>?
        /// The waiting conditions to select; nil for no restriction.
        public var waitingFor: Set<WaitingFor>?
        /// The text to search for, as ``SearchText`` compares; nil for no restriction.
        public var search: OpaqueText?
        /// The most transactions of the page.
        public var limit = Paging.defaultLimit
        /// The page token from an earlier result; nil for the first page.
        public var page: OpaqueText?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .optional(
                "ids", \.ids, .list(of: .transaction, count: 1...Paging.largestLimit),
                "Only these transactions, in one reply: limit and page do not apply. Unknown identifiers are left out."
            ),
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

        /// Creates parameters for all unfinished transactions.
        public init() {}
    }

    /// A page of the list.
    public struct Result: WireResult {
        /// A transaction of the list.
        public struct Entry: Sendable, Hashable {
            /// The snapshot of the transaction.
            public var transaction: Transaction
            /// The condition that the transaction waits for.
            public var waitingFor: WaitingFor?
            /// The end of the transaction; nil unless it has left the queue.
            public var finish: Finish?

            /// Creates an entry.
            public init(
                transaction: Transaction, waitingFor: WaitingFor?, finish: Finish? = nil
            ) {
                self.transaction = transaction
                self.waitingFor = waitingFor
                self.finish = finish
            }
        }

        /// The transactions in order of acceptance; finished ones in order of leaving the queue.
        public var entries: [Entry]
        /// The position in the log that the result reflects.
        public var sequence: SequenceNumber
        /// The token of the next page; nil on the last page.
        public var next: String?

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required(
                "transactions", \.entries, .list(of: Entry.form),
                "The transactions, in the order of acceptance."),
            .required(
                "seq", \.sequence, .sequence,
                "The position in the log that this result reflects."),
            Paging.next(\.next),
        ])

        /// Creates a page.
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
        errors: [.pageExpired, .notDurable, .indexRebuilding],
        role: .observe,
        example: Result(
            entries: [.init(transaction: Examples.purchased, waitingFor: nil)], sequence: 6))
}

extension Transactions.StateFilter: WireWord {}
