import Foundation
import PaymentAPI
import PaymentClient
import StrictJSON
import Testing

@testable import payqueuectl

/// Every error of the contract through every subcommand, as one page that a person reviews.
@Suite("The page of errors")
struct ErrorPageTests {
    private static let commands = [
        ["buy", "coins.100"], ["restore"], ["finish", "t1"], ["finish", "t1", "t2"], ["products"],
        ["products", "nope"], ["list"], ["list", "t1"], ["watch"], ["wait", "t1"],
        ["wait", "--restore", "r1"], ["top"], ["login"], ["login", "ann"], ["logout"],
        ["storefront"], ["storefront", "--assume", "FR"], ["questions"], ["answer", "q1", "yes"],
        ["observers"], ["status"], ["doctor", "--socket", "/s"], ["ping"], ["drain"],
        ["drain", "off"], ["reload"], ["backup"], ["history", "verify"], ["test"],
        ["cluster", "status"], ["cluster", "handover"],
        ["test", "set", "latencyMs=5"], ["decide", "t1", "approve"], ["call", "add", "product=x"],
    ]

    @Test("Every error through every subcommand reads as reviewed")
    func page() async throws {
        var errands: [(String, any ReportedCommand)] = []
        for words in Self.commands {
            let command = try await Payqueuectl.asyncParseAsRoot(words)
            errands.append(
                (words.joined(separator: " "), try #require(command as? any ReportedCommand)))
        }
        var text = "What each subcommand cannot do, and where it sends one for help:\n"
        for (words, action) in errands {
            text += "  \(words): cannot \(action.action); '\(action.help)'\n"
        }
        for code in ErrorCode.allCases {
            text += "\n== \(code.rawValue)\n"
            var groups: [(text: String, words: [String])] = []
            for (words, action) in errands {
                let said = Self.said(of: code, action)
                if let known = groups.firstIndex(where: { $0.text == said }) {
                    groups[known].words.append(words)
                } else {
                    groups.append((said, [words]))
                }
            }
            for group in groups {
                let isAll = group.words.count == errands.count
                text += isAll ? "" : group.words.joined(separator: " · ") + ":\n"
                text += group.text
            }
        }
        try Self.compare(text)
    }

    /// What is written to standard error, with dots for what the first part of the page lists.
    private static func said(of code: ErrorCode, _ action: any ReportedCommand) -> String {
        let error = RPCError(
            .object([
                JSONMember(name: "code", value: .integer(code.rawValue)),
                JSONMember(name: "message", value: .string(code.message)),
                JSONMember(
                    name: "data",
                    value: .object([
                        JSONMember(name: "kind", value: .string(code.kind)),
                        JSONMember(name: "retry", value: .string(code.retry.rawValue)),
                    ])),
            ]), method: "METHOD")
        let sentence = ErrorText.sentence(for: error, action: action.action)
        let advice = Advice.sentence(for: error, help: action.help)
        #expect(sentence.hasPrefix("cannot \(action.action): "))
        #expect(sentence.hasSuffix("(code \(code.rawValue) of 'METHOD')"))
        #expect(!advice.isEmpty)
        let words = sentence.replacing("cannot \(action.action):", with: "cannot …:")
            .replacing(" of 'METHOD'", with: " of …")
        return "payqueuectl: \(words).\n  Next: \(advice.replacing(action.help, with: "…")).\n"
    }

    private static func compare(_ text: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Recorded/errors.txt")
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let kept = try String(contentsOf: file, encoding: .utf8)
        let known = Set(kept.split(separator: "\n"))
        let news = text.split(separator: "\n").filter { !known.contains($0) }
        #expect(
            kept == text,
            "the words changed; if they should, record them with RECORD=1: \(news.prefix(8))")
    }
}
