import Foundation
import PaymentTesting
import Testing

/// The errors of the contract as people meet them. A page with every error through every subcommand
/// is reviewed beside the subcommands themselves; here the programs run.
@Suite("The words of errors", .ownThreads)
struct ErrorTextTests {
    @Test("Every error says what was tried, why, and what to do next")
    func everyError() throws {
        let place = try Workplace()
        let fake = try FakeDaemon(in: place)
        let page = ErrorWords(in: place)
        for (number, error) in try Self.errors().enumerated() {
            // Another subcommand for each error.
            let command = ErrorWords.asking[number % ErrorWords.asking.count]
            fake.behave(.refusing(error.json))
            let said = try page.run(
                [[Built.control] + command], environment: ["PAYQUEUED_SOCKET": fake.socket])
            said.forEach { Self.inspect($0, error) }
        }
    }

    @Test("Every subcommand says in its own words what it could not do")
    func everySubcommand() throws {
        let known = Set(ErrorWords.asking.compactMap(\.first) + ErrorWords.others)
        #expect(Set(try HelpTests.commands(of: Built.control)) == known)

        let place = try Workplace()
        let fake = try FakeDaemon(in: place)
        let error = try #require(try Self.errors().first { $0.code == -32602 })
        fake.behave(.refusing(error.json))
        var page = ErrorWords(in: place)
        let said = try page.run(
            ErrorWords.asking.map { [Built.control] + $0 },
            environment: ["PAYQUEUED_SOCKET": fake.socket])
        said.forEach { Self.inspect($0, error) }
        page.section("\(error.code)")
        page.add(said)
        try page.compare(with: "errands.txt")
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
