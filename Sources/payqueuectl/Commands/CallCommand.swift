import ArgumentParser
import PaymentAPI
import StrictJSON

/// Calls any method.
struct CallCommand: AsyncParsableCommand, Errand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Call any method and print its result.",
        usage: """
            payqueuectl call add product=coins.100 key=order-7781
            payqueuectl call <method> [key=value ... | JSON] [--params JSON]
            """,
        discussion: """
            A value for a parameter that is a text stays as it is. Any other value is JSON if it \
            reads as JSON (12, true, '["a","b"]'), else a text; key:=JSON insists on JSON. One JSON \
            object in their place is all parameters at once.
            'payqueuectl call help' lists the methods, 'payqueuectl call help method=add' explains \
            one.
            """)

    @Argument(help: "The method.", completion: .list(Contract.names))
    var method: String

    @Argument(help: ArgumentHelp("Parameters.", valueName: "key=value"))
    var parameters: [String] = []

    @Option(help: ArgumentHelp("All parameters at once, an object or an array.", valueName: "JSON"))
    var params: String?

    @OptionGroup var options: AnswerOptions

    var errand: String { "call '\(method)'" }
    var help: String { "payqueuectl call help method=\(method)" }

    func validate() throws {
        if params != nil, !parameters.isEmpty {
            throw ValidationError("Give the parameters as key=value or with --params, not both.")
        }
        _ = try arguments()
    }

    func run() async throws {
        let arguments = try arguments()
        options.show(try await options.call(method, arguments), lines)
    }

    private func arguments() throws -> JSONValue? {
        if let params { return try CallArguments.whole(params, for: "--params") }
        if parameters.count == 1, let text = parameters.first, text.hasPrefix("{") {
            return try CallArguments.whole(text, for: "the parameters")
        }
        return try CallArguments.object(parameters, method: method)
    }

    /// Compact for programs; laid out for people, and a text that is the only member as it is.
    private func lines(_ result: JSONValue) -> [String] {
        if let members = result.members, members.count == 1, members[0].name == "text",
            let text = members[0].value.stringValue
        {
            return [text]
        }
        return [Console.isTerminal ? result.prettyText() : result.jsonText()]
    }
}
