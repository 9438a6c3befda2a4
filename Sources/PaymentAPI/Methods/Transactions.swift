public import PaymentCore
public import StrictJSON

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
    public struct Params: Sendable, Hashable {
        /// Only these; those that nobody knows are left out.
        public var ids: [TransactionReference]?
        /// Only those in one of these states; nil for everything unfinished.
        public var states: Set<StateFilter>?
        /// Only those that wait for one of these.
        public var waitingFor: Set<WaitingFor>?
        /// Only those that have this text, as ``SearchText`` compares.
        public var search: OpaqueText?
        /// At most so many.
        public var limit: Int
        /// Where an earlier answer said to go on.
        public var page: OpaqueText?
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

            /// Makes an entry.
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

        /// Makes a page.
        public init(entries: [Entry], sequence: SequenceNumber, next: String? = nil) {
            self.entries = entries
            self.sequence = sequence
            self.next = next
        }

        /// Appends the page.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"transactions\":[")
            for entry in entries {
                writer.element()
                writer.transaction(
                    entry.transaction, waitingFor: entry.waitingFor, finish: entry.finish)
            }
            writer.raw("],\"seq\":")
            writer.integer(sequence)
            if let next {
                writer.raw(",\"next\":")
                writer.string(next)
            }
            writer.raw("}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "transactions",
        summary: "List transactions",
        description: """
            Without parameters, lists all unfinished transactions that are visible to the account \
            in session; with several conditions, only those that meet all of them. A list that does \
            not fit in one reply comes in pages: repeat the call with page set to next. One call \
            examines a limited number of transactions, so a page can be short or empty and still \
            have next.
            """,
        parameters: [
            .optional(
                "ids", .list(of: .text(maximumBytes: nil), count: 1...Paging.largestLimit),
                "Only these transactions; unknown identifiers are left out."),
            .optional(
                "states", .list(of: .word(StateFilter.allCases.map(\.rawValue)), count: 1...5),
                "Only these states; finished lists transactions that have left the queue."),
            .optional(
                "waitingFor", .list(of: .word(WaitingFor.allCases.map(\.rawValue)), count: 1...5),
                "Only transactions that wait for one of these."),
            .optional(
                "search", .text(maximumBytes: 256),
                """
                Only transactions whose identifier or order identifier begins with this text (4 \
                digits or more), or whose product identifier or account token contains it. The case \
                of ASCII letters does not matter.
                """),
            Paging.limit, Paging.page,
        ],
        resultSchema: Schema.object([
            Schema.required(
                "transactions", Schema.list(of: Schema.reference("Transaction")),
                "The transactions, in the order of acceptance."),
            Schema.required(
                "seq", Schema.sequence,
                """
                The position in the log that this result reflects.
                """),
            Paging.next,
        ]),
        errors: [.pageExpired],
        role: .observe,
        example: .init(
            params: ["states": ["purchased"]],
            result: Result(
                entries: [.init(transaction: Examples.purchased, waitingFor: nil)], sequence: 6)))

    private enum Place: Int, ParameterPlace {
        case ids, states, waitingFor, search, limit, page
    }

    /// Takes what to list.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        let ids = arguments.texts(Place.ids, in: bytes)?.map { text in
            TransactionID(text.string).map { TransactionReference.id($0) } ?? .foreign(text)
        }
        let states: [StateFilter]? = arguments.words(Place.states, in: bytes)
        let waitingFor: [WaitingFor]? = arguments.words(Place.waitingFor, in: bytes)
        return Params(
            ids: ids, states: states.map { Set($0) }, waitingFor: waitingFor.map { Set($0) },
            search: arguments.text(Place.search, in: bytes),
            limit: arguments.integer(Place.limit, in: bytes) ?? Paging.defaultLimit,
            page: arguments.text(Place.page, in: bytes))
    }
}
