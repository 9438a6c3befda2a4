import Foundation
import PaymentTesting
import Testing

/// Every error of the contract as people meet it, through each kind of subcommand.
@Suite("The words of errors", .ownThreads)
struct ErrorTextTests {
    /// One subcommand of each kind: those that are one call, and those that do more.
    private static let commands = [
        ["list"], ["finish", "t1"], ["products"], ["status"], ["login", "ann"],
        ["call", "add", "product=coins.100"], ["buy", "coins.100", "--key", "k1"], ["restore"],
        ["wait", "t1"], ["watch"], ["top", "--once"], ["doctor"], ["ping"], ["test", "set"],
        ["decide", "t1", "approve"], ["answer", "q1", "yes"], ["backup"],
    ]
    private static let record = "Tests/EndToEndTests/Recorded/errors.txt"

    @Test("Every error reads as reviewed, with what was tried, why, and what to do next")
    func words() throws {
        let place = try Workplace()
        let fake = try FakeDaemon(in: place)
        var text = ""
        for error in try Self.errors() {
            fake.refuse(with: error.json)
            text += "== \(error.code)\n"
            for command in Self.commands {
                let ran = try Child.run(
                    [Built.control] + command, in: place,
                    environment: ["PAYQUEUED_SOCKET": fake.socket], seconds: 60)
                let words = command.joined(separator: " ")
                #expect(ran.ending != .exit(0), "\(words) takes \(error.code) for success")
                Self.inspect(ran.errors, words, error)
                text += "\(words): \(Self.status(ran.ending))\n"
                text += ran.errors.replacing(fake.socket, with: "SOCKET")
            }
        }
        let file = Built.root.appending(path: Self.record)
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let kept = EndToEndTests.text(of: file.path)
        #expect(kept == text, "the words changed; if they should, record them with RECORD=1")
    }

    /// A sentence, what to do, and nothing that only programs understand.
    private static func inspect(_ errors: String, _ command: String, _ error: ContractError) {
        let lines = errors.split(separator: "\n")
        #expect(lines.first?.hasPrefix("payqueuectl: cannot ") == true, "\(command): \(errors)")
        let hasAdvice = lines.contains { $0.hasPrefix("  Next: ") }
        #expect(hasAdvice, "\(command) gives no advice: \(errors)")
        #expect(errors.contains("(code \(error.code))"), "\(command) hides the code: \(errors)")
        #expect(errors.contains(error.message), "\(command) hides the reason: \(errors)")
        // Words that are English as well, such as `cancelled`, cannot be told apart.
        let isWireWord = error.kind.contains(where: \.isUppercase)
        #expect(
            !isWireWord || !errors.contains(error.kind), "\(command) shows a wire's word: \(errors)"
        )
        for trace in ["Fatal error", "Swift.", "RPCError", "NIO", "nil", "Optional("] {
            #expect(!errors.contains(trace), "\(command) shows '\(trace)': \(errors)")
        }
    }

    private static func status(_ ending: Child.Ending) -> String {
        if case .exit(let code) = ending { "exit \(code)" } else { "\(ending)" }
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
