import Foundation
import JSONRPC
import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentAPI
@testable import PaymentServer

/// `clock`: what time it is for the daemon.
public enum TellTime: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// The time.
    public struct Result: WireResult, Hashable {
        /// Now.
        public var now: Timestamp

        /// The members.
        public static let form = ResultForm<Result>.object([
            .required("now", \.now, .time, "Now, in UTC.")
        ])

        /// Tells a time.
        public init(now: Timestamp) {
            self.now = now
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "clock",
        summary: "Tell the time of the daemon",
        description: "The clock that purchases are dated by.",
        role: .observe, example: Result(now: Examples.clock.now))
}

private struct ClockHandlers: Handlers {
    let context: HandlerContext

    func register(in methods: MethodTable) {
        methods.register(TellTime.self, clock)
    }

    func clock(
        _ params: TellTime.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<TellTime.Result> {
        .now(TellTime.Result(now: engine.currentTime))
    }
}

/// What the documentation shows of adding a method is what compiles and answers here.
@Suite struct WorkedExampleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    @Test func `each piece of Swift on the page stands in this file`() throws {
        let page = try text("Sources/payqueued/Documentation.docc/AddingAMethod.md")
        let shown = page.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
        let here = try text("Tests/PaymentServerTests/Methods/WorkedExample.swift")
        #expect(shown.count == 4)
        for piece in shown {
            #expect(!Self.plain(piece).isEmpty)
            #expect(Self.plain(here).contains(Self.plain(piece)), "\(piece)")
        }
    }

    /// The lines one behind the other: imports stand elsewhere in a file, and what is shown alone is
    /// indented where it stands.
    private static func plain(_ text: String) -> String {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.contains("import ") }.joined(separator: "\n")
    }

    @Test func `the method answers, and is described like every other`() throws {
        let methods: [any PaymentAPI.Method.Type] = [
            TellTime.self
        ]
        let help = try Help.text(for: #require(methods.first).spec)
        #expect(help.contains("clock - Tell the time of the daemon"))
        #expect(help.contains(#""method":"clock""#))
        let server = try SteppedServer()
        ClockHandlers(context: server.core.context).register(in: server.core.dispatcher.methods)
        let reply = try server.connect().ask(#"{"jsonrpc":"2.0","id":1,"method":"clock"}"#)
        let shown = try #require(TellTime.spec.example.result["now"]?.stringValue)
        #expect(reply["result"]?["now"]?.stringValue?.count == shown.count)
    }
}
