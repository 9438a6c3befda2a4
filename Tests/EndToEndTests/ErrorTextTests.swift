import Foundation
import Testing

/// Every error of the contract as people meet it, through every subcommand.
@Suite("The words of errors", .ownThreads)
struct ErrorTextTests {
    @Test("Every error reads as reviewed, with what was tried, why, and what to do next")
    func words() throws {
        let place = try Workplace()
        let fake = try FakeDaemon(in: place)
        var page = ErrorWords(in: place)
        let errors = try Self.errors()
        // One error in full shows the words of each subcommand for what it does.
        let sample = try #require(errors.first { $0.code == -32602 })
        let full = try Self.run(sample, fake, page)
        page.section("\(sample.code), in full; below … stands for what is in quotes here")
        page.add(full)
        let shorter = try full.map { try Shortening(of: $0) }
        for error in errors {
            page.section("\(error.code)")
            let said = try Self.run(error, fake, page)
            for (one, short) in zip(said, shorter) {
                Self.inspect(one, error)
                #expect(one.text.contains(short.errand), "\(one.words) does something else here")
            }
            let texts = Dictionary(
                uniqueKeysWithValues: zip(said, shorter).map { ($0.words, $1($0.text)) })
            page.add(said) { texts[$0.words] ?? $0.text }
        }
        try page.compare(with: "errors.txt")
    }

    @Test("The page of errors leaves no subcommand out")
    func everySubcommand() throws {
        let known = Set(ErrorWords.asking.compactMap(\.first) + ErrorWords.others)
        #expect(Set(try HelpTests.commands(of: Built.control)) == known)
    }

    /// What a subcommand says of itself in every error: replaced by dots, the errors compare.
    private struct Shortening {
        let errand: String
        private let method: String
        private let help: String

        init(of said: ErrorWords.Said) throws {
            let shape =
                /^payqueuectl: (cannot .*): the daemon.* of ('[^']*')\).\n.* with ('.*')\.\n$/
            guard let found = said.text.firstMatch(of: shape) else {
                throw Trouble("'\(said.words)' does not say what it cannot do: \(said.text)")
            }
            (errand, method, help) = (String(found.1), String(found.2), String(found.3))
        }

        func callAsFunction(_ text: String) -> String {
            text.replacing(errand + ":", with: "cannot …:").replacing(
                "of " + method, with: "of '…'"
            )
            .replacing(help, with: "'…'")
        }
    }

    private static func run(
        _ error: ContractError, _ fake: FakeDaemon, _ page: ErrorWords
    ) throws -> [ErrorWords.Said] {
        fake.behave(.refusing(error.json))
        return try page.run(
            ErrorWords.asking.map { [Built.control] + $0 },
            environment: ["PAYQUEUED_SOCKET": fake.socket])
    }

    private static func inspect(_ said: ErrorWords.Said, _ error: ContractError) {
        ErrorWords.inspect(said)
        #expect(said.text.contains("(code \(error.code) of '"), "\(said.words) hides the code")
        // What JSON-RPC itself calls its errors is no English.
        let isSpecified = (-32700)...(-32600) ~= error.code
        let reason = error.message.dropFirst()
        #expect(
            isSpecified || said.text.contains(reason), "\(said.words) hides why: \(said.text)")
        // Words that are English as well, such as `cancelled`, cannot be told apart.
        let isWireWord = error.kind.contains(where: \.isUppercase)
        #expect(!isWireWord || !said.text.contains(error.kind), "\(said.words): \(said.text)")
    }

    /// The errors of all methods, by code.
    private static func errors() throws -> [ContractError] {
        let file = Built.root.appending(path: "clients/openrpc.json").path
        let document = try JSON(EndToEndTests.text(of: file))
        var found: [Int: ContractError] = [:]
        for method in document["methods"]?.array ?? [] {
            for error in method["errors"]?.array ?? [] {
                guard let code = error["code"]?.int, let message = error["message"]?.string,
                    let data = error["data"], let kind = data["kind"]?.string,
                    let retry = data["retry"]?.string, let effect = data["effect"]?.string
                else { throw Trouble("an error of the contract is not whole: \(error)") }
                let after = data["retryAfterMs"]?.int.map { #","retryAfterMs":\#($0)"# } ?? ""
                let json =
                    #"{"code":\#(code),"message":"\#(message)","data":{"kind":"\#(kind)","#
                    + #""retry":"\#(retry)"\#(after),"effect":"\#(effect)"}}"#
                found[code] = ContractError(code: code, kind: kind, message: message, json: json)
            }
        }
        #expect(found.count > 30)
        return found.values.sorted { $0.code < $1.code }
    }

    private struct ContractError {
        let code: Int
        let kind: String
        let message: String
        let json: String
    }
}
