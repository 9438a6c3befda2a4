public import PaymentCore
public import StrictJSON

/// `test.clock.get`: what the sandbox's clock shows.
public enum TestClockGet: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// The clock.
    public struct Result: WireResult, Hashable {
        /// The clock.
        public var clock: TestClock

        /// Makes a result.
        public init(clock: TestClock) {
            self.clock = clock
        }

        /// Appends the clock.
        public func write(into writer: inout JSONWriter) {
            writer.beginObject()
            writer.testClock(clock)
            writer.endObject()
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "test.clock.get",
        summary: "Show the sandbox's clock",
        description: """
            Subscriptions follow the sandbox's own clock: real time, accelerated by timeRate, plus \
            what it was advanced. Only for the sandbox.
            """,
        resultSchema: Schema.reference("TestClock"),
        errors: [.notSupportedByStore],
        role: .admin,
        example: .init(result: Result(clock: Examples.clock)))
}

extension JSONWriter {
    /// The members of a clock.
    mutating func testClock(_ clock: TestClock) {
        name("now")
        time(clock.now)
        if let next = clock.nextEventAt {
            name("nextEventAt")
            time(next)
        }
    }
}
