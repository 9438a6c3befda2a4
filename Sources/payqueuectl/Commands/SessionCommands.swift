import ArgumentParser
import StrictJSON

/// Logs in.
struct LoginCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in to the store with an account.",
        usage: """
            payqueuectl login demo
            payqueuectl login [<account>] [--credential-file <file>]
            """,
        discussion: "Without an account, connected login agents are asked for one.")

    @Argument(help: "The account.", completion: .accounts)
    var account: String?

    @Option(
        help: ArgumentHelp(
            "Credential (visible in ps; prefer --credential-file).", valueName: "text"))
    var credential: String?

    @Option(
        help: ArgumentHelp(
            "A file with the credential, mode 0600; - is standard input.", valueName: "file"),
        completion: .file())
    var credentialFile: String?

    @OptionGroup var options: AnswerOptions

    var method: String { "login" }
    var action: String { "log in" + (account.map { " as '\($0)'" } ?? "") }

    func validate() throws {
        if credential != nil, credentialFile != nil {
            throw ValidationError("Give the credential with --credential or in a file, not both.")
        }
    }

    func parameters() throws -> JSONValue? {
        let proof = try credentialFile.map { try PrivateFile.text($0, what: "the credential") }
        return .parameters([
            ("account", account.map(JSONValue.string)),
            ("credential", (proof ?? credential).map(JSONValue.string)),
        ])
    }

    func lines(_ answer: JSONValue) -> [String] {
        let account = answer["account"]?.stringValue ?? "?"
        let country = answer["storefront"]?["countryCode"]?.stringValue ?? "?"
        return ["\(account) is logged in, in \(country)"]
    }
}

/// Logs out.
struct LogoutCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Log out of the store.", usage: "payqueuectl logout",
        discussion: "Unfinished purchases wait until the account logs in again.")

    @OptionGroup var options: AnswerOptions

    var method: String { "logout" }
    var action: String { "log out" }

    func lines(_ answer: JSONValue) -> [String] { ["no account is logged in"] }
}

/// Shows the storefront.
struct StorefrontCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "storefront",
        abstract: "Show the country whose prices apply.",
        usage: """
            payqueuectl storefront
            payqueuectl storefront --assume FR
            """)

    @Option(
        help: ArgumentHelp(
            "The country to assume while no account is logged in; '' for none.",
            valueName: "country"))
    var assume: String?

    @OptionGroup var options: AnswerOptions

    var method: String { "storefront" }
    var action: String {
        assume.map { "assume the storefront '\($0)'" } ?? "show the storefront"
    }

    func parameters() -> JSONValue? {
        .parameters([("assume", assume.map(JSONValue.string))])
    }

    func lines(_ answer: JSONValue) -> [String] {
        let assumed = answer["assumed"]?.stringValue.map { "\($0) is assumed" }
        guard let account = answer["account"]?.stringValue,
            let country = answer["storefront"]?["countryCode"]?.stringValue
        else { return ["no account is logged in, \(assumed ?? "no country is assumed")"] }
        return ["\(country), account \(account)"]
    }
}
