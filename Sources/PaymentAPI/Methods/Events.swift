public import PaymentCore
import StrictJSON

/// `events`: read the event log page by page.
public enum Events: Method {
    /// The selection of records.
    public struct Params: ParameterRecord {
        /// The position after which to begin.
        public var after = Cursor.now
        /// The epoch of the cursor.
        public var epoch: OpaqueText?
        /// The most events of the page.
        public var limit = Paging.defaultLimit
        /// The longest wait for a first event; nil to reply at once.
        public var wait: Duration?
        /// The filter of events.
        public var filter = EventFilter()

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required(
                "after", \.after, .cursor, "Only records after this position.", example: 5),
            Paging.limit(\.limit, example: 10),
            .optional(
                "wait", \.wait, .seconds(0...60),
                "The time to wait for a first event if there is none yet, in seconds."),
            .optional(
                "kinds", \.filter.kinds, .set(of: .word, count: 1...64),
                "Only events of these kinds."),
            .optional(
                "epoch", \.epoch, .text(maximumBytes: 64), "The epoch to which after belongs."),
        ]

        /// Creates parameters for all events from now on.
        public init() {}
    }

    /// A page of the log.
    public struct Result: WireResult {
        /// An event and the current waiting condition of its transaction.
        public struct Entry: Sendable, Hashable {
            /// The record of the event.
            public var record: Record
            /// The condition that its transaction waits for.
            public var waitingFor: WaitingFor?
            /// The time at which the fallback answers its question. Nil for other events, and until
            /// the question has reached an agent.
            public var deadline: Timestamp?

            /// Creates an entry.
            public init(record: Record, waitingFor: WaitingFor?, deadline: Timestamp? = nil) {
                self.record = record
                self.waitingFor = waitingFor
                self.deadline = deadline
            }
        }

        /// Events of the log that cannot be read.
        public struct Gap: Sendable, Hashable {
            /// The first of their sequence numbers.
            public var from: SequenceNumber
            /// The last of their sequence numbers.
            public var to: SequenceNumber

            /// Creates a gap.
            public init(_ range: ClosedRange<SequenceNumber>) {
                from = range.lowerBound
                to = range.upperBound
            }
        }

        /// The events, in the order of the log.
        public var entries: [Entry]
        /// Events between them that cannot be read, because their file is damaged; nil if there are
        /// none.
        public var gap: Gap?
        /// The cursor for the next call.
        public var next: SequenceNumber
        /// The sequence number of the newest record.
        public var head: SequenceNumber
        /// The epoch of the log.
        public var epoch: String

        /// The members of the result; each event is written by hand.
        public static let form = ResultForm<Result>.object([
            .required(
                "events", \.entries,
                .list(
                    of: ResultForm(Schema.reference("Event")) { entry, writer in
                        writer.listedEvent(
                            entry.record, waitingFor: entry.waitingFor, deadline: entry.deadline)
                    }), "The events, in the order of the log."),
            .optional(
                "gap", \.gap,
                .object([
                    .required(
                        "from", \.from, .sequence,
                        "The sequence number of the first missed record."),
                    .required(
                        "to", \.to, .sequence, "The sequence number of the last missed record."),
                ]),
                "Records that this page should have and that cannot be read, because their file is "
                    + "damaged. The events behind them follow."),
            .required("next", \.next, .sequence, "The cursor for the next call."),
            .required("head", \.head, .sequence, "The sequence number of the newest record."),
            .required(
                "epoch", \.epoch, .text, "The epoch of the log; store it with your cursor."),
        ])

        /// Creates a page.
        public init(
            entries: [Entry], gap: Gap? = nil, next: SequenceNumber, head: SequenceNumber,
            epoch: String
        ) {
            self.entries = entries
            self.gap = gap
            self.next = next
            self.head = head
            self.epoch = epoch
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "events",
        summary: "Read the event log page by page",
        description: """
            Polls for events, for scripts: call it again with after set to next. It does not \
            redeliver unfinished transactions and does not count as an observer.
            """,
        errors: [
            .cursorTooOld, .cursorAhead, .otherEpoch, .tooManyInFlight, .shareExceeded, .cancelled,
        ],
        role: .observe,
        waits: true,
        example: Result(
            entries: [.init(record: Examples.purchasedRecord, waitingFor: nil)], next: 6, head: 6,
            epoch: Examples.epoch))
}
