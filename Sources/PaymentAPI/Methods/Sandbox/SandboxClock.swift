public import SandboxControl
import StrictJSON

/// `test.clock.get`: show the sandbox's clock.
public enum TestClockGet: Method {
    /// The method has no parameters.
    public typealias Params = NoParameters

    /// The state of the clock.
    public struct Result: WireResult, Hashable {
        /// The state of the clock.
        public var clock: TestClock

        /// The members of the result.
        public static let form = ResultForm<Result>.component("TestClock", members(\.clock))

        /// Creates a result.
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
        errors: [.notDurable],
        example: Result(clock: Examples.clock))

    /// The members of a clock, for use in several results.
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

/// `test.clock.advance`: advance the sandbox's clock.
public enum TestClockAdvance: Method {
    /// The span to advance.
    public struct Params: ParameterRecord {
        /// The span to advance the clock by.
        public var span = Duration.zero

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required(
                "seconds", \.span, .seconds(0...longestSeconds), "The number of seconds.",
                example: 2_592_000)
        ]

        /// Creates parameters with a span of zero.
        public init() {}
    }

    /// The result of the call.
    public struct Result: WireResult, Hashable {
        /// The clock after the call.
        public var clock: TestClock
        /// The number of events that happened.
        public var events: Int

        /// The members of the result.
        public static let form = ResultForm<Result>.object(
            TestClockGet.members(\.clock),
            [.required("events", \.events, .count, "The number of events that happened.")])

        /// Creates a result.
        public init(clock: TestClock, events: Int) {
            self.clock = clock
            self.events = events
        }
    }

    /// The longest span of one call, in seconds: 100 years.
    static let longestSeconds: Int64 = 3_155_760_000

    /// The most events of one call.
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
