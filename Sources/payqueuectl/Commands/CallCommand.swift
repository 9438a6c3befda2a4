import ArgumentParser
import PaymentAPI
import PaymentClient
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
            A text parameter is taken as it is, any other as JSON if it reads so, else as a text; \
            key:=JSON insists. One JSON object is all parameters at once. See \
            'payqueuectl call help' for the methods, 'call help method=add' for one.
            """)

    @Argument(help: "The method.", completion: .list(Contract.names))
    var method: String

    @Argument(help: ArgumentHelp("Parameters.", valueName: "key=value"))
    var parameters: [String] = []

    @Option(help: ArgumentHelp("All parameters at once, an object or an array.", valueName: "JSON"))
    var params: String?

    @Flag(help: "Print the whole reply as the line that came.")
    var raw = false

    @Option(
        help: ArgumentHelp(
            "Let an error of this kind count as done (exit 0).", valueName: "kind"),
        completion: .list(Self.errorKinds))
    var graceful: [String] = []

    @OptionGroup var options: AnswerOptions

    /// What the contract calls its errors; a later daemon may have others.
    private static let errorKinds = Set(ErrorCode.allCases.map(\.kind)).sorted()

    var errand: String { "call '\(method)'" }
    var help: String { "payqueuectl call help method=\(method)" }
    var afterLoss: String {
        let hasKey = (try? arguments())?["key"] != nil
        return hasKey
            ? "repeat the call with the same key; that never pays twice"
            : "see what became of it with 'payqueuectl list' before it is repeated"
    }

    func validate() throws {
        if params != nil, !parameters.isEmpty {
            throw ValidationError("Give the parameters as key=value or with --params, not both.")
        }
        if raw, options.isForPrograms {
            throw ValidationError("--raw goes without --json and --filter.")
        }
        _ = try arguments()
    }

    func run() async throws {
        do {
            try await call()
        } catch let error as RPCError where graceful.contains(error.kind) {
            // The caller has reckoned with it; it is told all the same.
            Console.complain(
                ErrorText.sentence(for: error, errand: errand),
                advice: Advice.reaching(
                    Advice.sentence(for: error, help: help),
                    connection: options.connection.suggestion))
        }
    }

    private func call() async throws {
        let reply = try await options.reply(to: method, try arguments())
        if raw { Console.line(reply.line) }
        if let error = reply.error { throw error }
        if !raw { show(reply.result) }
    }

    private func arguments() throws -> JSONValue? {
        if let params { return try CallArguments.whole(params, for: "--params") }
        if parameters.count == 1, let text = parameters.first, text.hasPrefix("{") {
            return try CallArguments.whole(text, for: "the parameters")
        }
        return try CallArguments.object(parameters, method: method)
    }

    /// Compact for programs; laid out for people, and a text that is the only member as it is.
    private func show(_ result: JSONValue) {
        guard !options.isForPrograms else { return options.show(result) { _ in [] } }
        if let members = result.members, members.count == 1, members[0].name == "text",
            let text = members[0].value.stringValue
        {
            return Console.line(ScreenText.plainLines(text))
        }
        Console.line(Console.isTerminal ? result.prettyText() : result.jsonText())
    }
}
