import ArgumentParser
import PaymentAPI
import StrictJSON

/// Runs the test controls of the sandbox.
struct TestCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Control the sandbox: behaviour, clock and orders.",
        usage: """
            payqueuectl test set askToBuyEnabled=true
            payqueuectl test [<control>] [key=value ...]
            """,
        discussion: """
            Controls: get, set, buy, refund, resolve, renew, expire, autoRenew, priceIncrease, \
            orders, deleteOrder, clear, reset, clock.get, clock.advance. \
            'payqueuectl call help method=test.set' explains 'set'.
            """)

    @Argument(help: "The control.", completion: .list(Self.controls))
    var control = "get"

    @Argument(help: ArgumentHelp("Parameters.", valueName: "key=value"))
    var words: [String] = []

    /// The contract's methods with the prefix `test.`.
    private static let controls = Contract.names.filter { $0.hasPrefix("test.") }
        .map { String($0.dropFirst("test.".count)) }

    @OptionGroup var table: TableOptions
    @OptionGroup var options: AnswerOptions

    func validate() throws {
        guard !Self.controls.contains(control) else {
            _ = try parameters()
            return
        }
        let near = NearestName.find(control, in: Self.controls).map { "; the nearest is '\($0)'." }
        let all = "; there are '\(Self.controls.joined(separator: "', '"))'."
        throw ValidationError("There is no control '\(control)'\(near ?? all)")
    }

    var method: String { "test.\(control)" }
    var action: String { "control the sandbox with '\(control)'" }
    var help: String { "payqueuectl call help method=\(method)" }

    func parameters() throws -> JSONValue? {
        try CallArguments.object(words, method: method)
    }

    func lines(_ answer: JSONValue) -> [String] {
        control == "orders"
            ? OrderText.lines(answer, width: table.columns) : DetailText.lines(answer)
    }
}

/// Approves or declines a purchase that waits for approval.
struct DecideCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "decide",
        abstract: "Approve or decline a purchase that waits for approval.",
        usage: """
            payqueuectl decide 7ab4537c approve
            payqueuectl decide <transaction> (approve | decline)
            """,
        discussion: "Works with the sandbox only.")

    enum Outcome: String, ExpressibleByArgument, CaseIterable {
        case approve
        case decline
    }

    @Argument(help: "The transaction.", completion: .transactions)
    var transaction: String

    @Argument(help: "approve or decline.")
    var outcome: Outcome

    @OptionGroup var options: AnswerOptions

    var method: String { "decide" }
    var action: String { "\(outcome.rawValue) the purchase '\(transaction)'" }

    func parameters() -> JSONValue? {
        .parameters([
            ("transaction", .string(transaction)), ("outcome", .string(outcome.rawValue)),
        ])
    }

    func lines(_ answer: JSONValue) -> [String] {
        [
            "\(answer["transaction"]?.stringValue ?? transaction)  "
                + (answer["state"]?.stringValue ?? "decided")
        ]
    }
}
