public import PaymentCore
public import StrictJSON

/// `events`: read the event log page by page.
public enum Events: Method {
    /// The records to read.
    public struct Params: Sendable, Hashable {
        /// Where to begin.
        public var after: Cursor
        /// The epoch that the cursor belongs to.
        public var epoch: OpaqueText?
        /// At most so many.
        public var limit: Int
        /// How long to wait for the first one if there is none; nil to answer at once.
        public var wait: Duration?
        /// The records to show.
        public var filter: EventFilter
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

            /// Makes an entry.
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

        /// Makes a page.
        public init(
            entries: [Entry], next: SequenceNumber, head: SequenceNumber, epoch: String
        ) {
            self.entries = entries
            self.next = next
            self.head = head
            self.epoch = epoch
        }

        /// Appends the page.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"events\":[")
            for entry in entries {
                writer.element()
                writer.listedEvent(
                    entry.record, waitingFor: entry.waitingFor, deadline: entry.deadline)
            }
            writer.raw("],\"next\":")
            writer.integer(next)
            writer.raw(",\"head\":")
            writer.integer(head)
            writer.raw(",\"epoch\":")
            writer.string(epoch)
            writer.raw("}")
        }
    }

    /// The longest wait, in seconds.
    static let longestSeconds: Int64 = 60

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "events",
        summary: "Read the event log page by page",
        description: """
            Polls for events, for scripts: call it again with after set to next. It does not \
            redeliver unfinished transactions and does not count as an observer.
            """,
        parameters: [
            .required("after", .cursor, "Only records after this position."),
            Paging.limit,
            .optional(
                "wait", .seconds(0...longestSeconds),
                "The time to wait for a first event if there is none yet, in seconds."),
            .optional(
                "kinds", .list(of: .word(EventKind.words), count: 1...64),
                """
                Only events of these kinds.
                """),
            .optional("epoch", .text(maximumBytes: 64), "The epoch to which after belongs."),
        ],
        resultSchema: Schema.object([
            Schema.required(
                "events", Schema.list(of: Schema.reference("Event")),
                """
                The events, in the order of the log.
                """),
            Schema.required("next", Schema.sequence, "The cursor for the next call."),
            Schema.required("head", Schema.sequence, "The sequence number of the newest record."),
            Schema.required(
                "epoch", Schema.text,
                """
                The epoch of the log; store it with your cursor.
                """),
        ]),
        errors: [.cursorTooOld, .cursorAhead, .otherEpoch, .tooManyInFlight, .cancelled],
        role: .observe,
        waits: true,
        example: .init(
            params: ["after": 5, "limit": 10],
            result: Result(
                entries: [.init(record: Examples.purchasedRecord, waitingFor: nil)], next: 6,
                head: 6, epoch: Examples.epoch)))

    private enum Place: Int, ParameterPlace {
        case after, limit, wait, kinds, epoch
    }

    /// Takes what to read.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        let kinds: [EventKind]? = arguments.words(Place.kinds, in: bytes)
        guard let after = arguments.cursor(Place.after, in: bytes) else {
            preconditionFailure("a required cursor was checked but cannot be read")
        }
        return Params(
            after: after, epoch: arguments.text(Place.epoch, in: bytes),
            limit: arguments.integer(Place.limit, in: bytes) ?? Paging.defaultLimit,
            wait: arguments.seconds(Place.wait, in: bytes),
            filter: EventFilter(kinds: kinds.map { Set($0) }))
    }
}
