public import SandboxControl
import StrictJSON

/// `test.clock.get`: the time on the sandbox's clock.
public enum TestClockGet: Method {
    /// No parameters.
    public typealias Params = NoParameters

    /// The clock.
    public struct Result: WireResult, Hashable {
        /// The clock.
        public var clock: TestClock

        /// The members.
        public static let form = ResultForm<Result>.component("TestClock", members(\.clock))

        /// Shows a clock.
        public init(clock: TestClock) {
            self.clock = clock
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.clock.get",
        summary: "Show the sandbox's clock",
        description: """
            Subscriptions follow the sandbox's own clock: real time, accelerated by timeRate, plus \
            what it was advanced.
            """,
        example: Result(clock: Examples.clock))

    /// The members of a clock, as part of any result.
    static func members<Root>(
        _ clock: @escaping @Sendable (Root) -> TestClock
    ) -> [Member<Root>] {
        [
            .required("now", { clock($0).now }, .time, "The time on the sandbox's clock."),
            .optional(
                "nextEventAt", { clock($0).nextEventAt }, .time,
                "The time at which the next event is due; absent if none is."),
        ]
    }
}

/// `test.clock.advance`: the sandbox's clock moves on.
public enum TestClockAdvance: Method {
    /// A span of time.
    public struct Params: ParameterRecord {
        /// How far the clock moves on.
        public var span = Duration.zero

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required(
                "seconds", \.span, .seconds(0...longestSeconds), "The number of seconds.",
                example: 2_592_000)
        ]

        /// No time at all.
        public init() {}
    }

    /// The clock afterwards.
    public struct Result: WireResult, Hashable {
        /// The clock.
        public var clock: TestClock
        /// How many events were due and happened.
        public var events: Int

        /// The members.
        public static let form = ResultForm<Result>.object(
            TestClockGet.members(\.clock),
            [.required("events", \.events, .count, "The number of events that happened.")])

        /// Shows a clock and how many events happened.
        public init(clock: TestClock, events: Int) {
            self.clock = clock
            self.events = events
        }
    }

    /// How far one call may move the clock, in seconds: a hundred years.
    static let longestSeconds: Int64 = 3_155_760_000

    /// The most events that one call lets happen.
    public static let largestCount = 10_000

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.clock.advance",
        summary: "Advance the sandbox's clock",
        description: """
            Everything that becomes due happens one by one, each as a live event before the next: \
            renewals, retries, ends of periods. The daemon's own deadlines stay in real time. \
            After \(largestCount) events the call stops with error -32003 and gives their \
            number; repeat it for the rest.
            """,
        errors: [.resultTooLarge, .notDurable],
        example: Result(clock: Examples.clock, events: 1))
}
