import ArgumentParser
import PaymentAPI
import PaymentClient
import StrictJSON

/// Calls any method.
struct CallCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Call any method and print its result.",
        usage: """
            payqueuectl call add product=coins.100 key=order-7781
            payqueuectl call <method> [key=value ... | JSON] [--params JSON]
            """,
        discussion: """
            A value is JSON if the method does not take text there and it is valid JSON, else \
            text; key:=JSON is always JSON. 'payqueuectl call help' lists the methods.
            """)

    @Argument(help: "The method.", completion: .list(Contract.names))
    var method: String

    @Argument(help: ArgumentHelp("Parameters.", valueName: "key=value"))
    var parameters: [String] = []

    @Option(help: ArgumentHelp("All parameters at once, an object or an array.", valueName: "JSON"))
    var params: String?

    @Flag(help: "Print the whole reply line unchanged.")
    var raw = false

    @Option(
        help: ArgumentHelp(
            "Exit 0 on an error of this kind.", valueName: "kind"),
        completion: .list(Self.errorKinds))
    var graceful: [String] = []

    @OptionGroup var options: AnswerOptions

    /// The error kinds of the contract; a later daemon may have more.
    private static let errorKinds = Set(ErrorCode.allCases.map(\.kind)).sorted()

    var action: String { "call '\(method)'" }
    var help: String { "payqueuectl call help method=\(method)" }
    var afterLoss: String {
        let hasKey = (try? arguments())?["key"] != nil
        return hasKey
            ? "repeat the call with the same key; that never pays twice"
            : "check its outcome with 'payqueuectl list' before you repeat it"
    }

    func validate() throws {
        if params != nil, !parameters.isEmpty {
            throw ValidationError("Give the parameters as key=value or with --params, not both.")
        }
        if raw, options.isForPrograms {
            throw ValidationError("--raw cannot be combined with --json or --filter.")
        }
        _ = try arguments()
    }

    func run() async throws {
        try options.checkFilter(of: method)
        do {
            try await call()
        } catch let error as RPCError where graceful.contains(error.kind) {
            // The error is expected, but still reported.
            Console.report(
                Complaint(error, action: action, help: help)
                    .reaching(options.connection.suggestion))
        }
    }

    private func call() async throws {
        let given = try arguments()
        let reply = try await options.withDaemon { daemon in
            let timeout = options.timeout.duration
            let params = try await Identifiers(daemon, timeout: timeout)
                .resolved(given, of: method, action: action)
            return try await daemon.reply(to: method, params, timeout: timeout)
        }
        if raw { Console.line(reply.line) }
        if let error = reply.error { throw error }
        if !raw { show(reply.result) }
    }

    private func arguments() throws -> JSONValue? {
        if let params { return try CallArguments.whole(params, for: "--params") }
        if parameters.count == 1, parameters[0].hasPrefix("{") {
            return try CallArguments.whole(parameters[0], for: "the parameters")
        }
        return try CallArguments.object(parameters, method: method)
    }

    /// Prints the result: compact for programs, formatted for users. A single member `text` is
    /// printed unchanged.
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
