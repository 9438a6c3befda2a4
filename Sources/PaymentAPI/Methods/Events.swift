public import PaymentCore
import StrictJSON

/// `events`: read the event log page by page.
public enum Events: Method {
    /// The records to read.
    public struct Params: ParameterRecord {
        /// Where to begin.
        public var after = Cursor.now
        /// The epoch that the cursor belongs to.
        public var epoch: OpaqueText?
        /// At most so many.
        public var limit = Paging.defaultLimit
        /// How long to wait for the first one if there is none; nil to answer at once.
        public var wait: Duration?
        /// The records to show.
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

        /// Everything from now on.
        public init() {}
    }

    /// One page of the log.
    public struct Result: WireResult {
        /// A record and what its transaction waits for, as of now.
        public struct Entry: Sendable, Hashable {
            /// A record that is an event.
            public var record: Record
            /// The condition that its transaction waits for.
            public var waitingFor: WaitingFor?
            /// When silence answers its question; nil for every other record, and while nobody was
            /// asked who may answer.
            public var deadline: Timestamp?

            /// Lists a record.
            public init(record: Record, waitingFor: WaitingFor?, deadline: Timestamp? = nil) {
                self.record = record
                self.waitingFor = waitingFor
                self.deadline = deadline
            }
        }

        /// The events in the order of the log.
        public var entries: [Entry]
        /// The cursor for the next call.
        public var next: SequenceNumber
        /// The newest sequence number.
        public var head: SequenceNumber
        /// The epoch of the log.
        public var epoch: String

        /// The members; each event is written by hand.
        public static let form = ResultForm<Result>.object([
            .required(
                "events", \.entries,
                .list(
                    of: ResultForm(Schema.reference("Event")) { entry, writer in
                        writer.listedEvent(
                            entry.record, waitingFor: entry.waitingFor, deadline: entry.deadline)
                    }), "The events, in the order of the log."),
            .required("next", \.next, .sequence, "The cursor for the next call."),
            .required("head", \.head, .sequence, "The sequence number of the newest record."),
            .required(
                "epoch", \.epoch, .text, "The epoch of the log; store it with your cursor."),
        ])

        /// A page of these events.
        public init(
            entries: [Entry], next: SequenceNumber, head: SequenceNumber, epoch: String
        ) {
            self.entries = entries
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
        errors: [.cursorTooOld, .cursorAhead, .otherEpoch, .tooManyInFlight, .cancelled],
        role: .observe, queueCheck: .nothing,
        waits: true,
        example: Result(
            entries: [.init(record: Examples.purchasedRecord, waitingFor: nil)], next: 6, head: 6,
            epoch: Examples.epoch))
}
