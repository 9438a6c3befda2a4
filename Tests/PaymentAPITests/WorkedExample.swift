import PaymentCore
import StrictJSON

@testable import PaymentAPI

/// `clock`: what time it is for the daemon.
public enum Clock: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// The time.
    public struct Result: WireResult, Hashable {
        /// Now.
        public var now: Timestamp

        /// Makes a result.
        public init(now: Timestamp) {
            self.now = now
        }

        /// Appends the time.
        public func write(into writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("now")
            writer.time(now)
            writer.endObject()
        }
    }

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "clock",
        summary: "Tell the time of the daemon",
        description: "The clock that purchases are dated by.",
        resultSchema: Schema.object([
            Schema.required("now", Schema.time, "Now, in UTC.")
        ]),
        role: .observe,
        example: .init(result: Result(now: Examples.clock.now)))
}
