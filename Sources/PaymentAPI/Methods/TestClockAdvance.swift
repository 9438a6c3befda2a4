public import PaymentCore
public import StrictJSON

/// `test.clock.advance`: the sandbox's clock moves on.
public enum TestClockAdvance: Method {
    /// How far.
    public struct Params: Sendable, Hashable {
        /// How far the clock moves on.
        public var span: Duration

        /// Makes the parameters.
        public init(span: Duration) {
            self.span = span
        }
    }

    /// The clock afterwards.
    public struct Result: WireResult, Hashable {
        /// The clock.
        public var clock: TestClock
        /// How many events were due and happened.
        public var events: Int

        /// Makes a result.
        public init(clock: TestClock, events: Int) {
            self.clock = clock
            self.events = events
        }

        /// Appends the clock.
        public func write(into writer: inout JSONWriter) {
            writer.beginObject()
            writer.testClock(clock)
            writer.name("events")
            writer.integer(events)
            writer.endObject()
        }
    }

    /// How far one call may move the clock, in seconds: a hundred years.
    static let longestSeconds: Int64 = 3_155_760_000

    /// The most events that one call lets happen.
    public static let largestCount = 10_000

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "test.clock.advance",
        summary: "Advance the sandbox's clock",
        description: """
            Everything that becomes due happens one by one, each as a live event before the next: \
            renewals, retries, ends of periods. The daemon's own deadlines stay in real time. \
            After \(largestCount) events the call stops with error -32003 and gives their \
            number; repeat it for the rest. Only for the sandbox.
            """,
        parameters: [
            .required("seconds", .seconds(0...longestSeconds), "The number of seconds.")
        ],
        resultSchema: Schema.object([
            Schema.required("now", Schema.time, "The time on the sandbox's clock."),
            Schema.optional(
                "nextEventAt", Schema.time,
                """
                The time at which the next event is due; absent if none is.
                """),
            Schema.required("events", Schema.count, "The number of events that happened."),
        ]),
        errors: [.notSupportedByStore, .resultTooLarge, .notDurable],
        role: .admin,
        example: .init(
            params: ["seconds": 2_592_000],
            result: Result(clock: Examples.clock, events: 1)))

    private enum Place: Int, ParameterPlace {
        case seconds
    }

    /// Takes how far.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        guard let span = arguments.seconds(Place.seconds, in: bytes) else {
            preconditionFailure("a required span was checked but cannot be read")
        }
        return Params(span: span)
    }
}
