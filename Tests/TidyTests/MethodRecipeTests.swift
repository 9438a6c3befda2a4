import Foundation
import Testing

/// The recipe for a new method, on a copy of the tree in memory. `make recipe` follows it with a build.
@Suite("The recipe for a new method")
struct MethodRecipeTests {
    enum Step: CaseIterable {
        case file, list, handler, transcript, recording
    }

    private static let folder = "Tests/EndToEndTests/Lab/recipe/"

    @Test("Every method of the contract has followed it")
    func followed() throws {
        let tree = try SourceTree.repository()
        #expect(Checks.incompleteMethods(tree).map(\.description) == [])
    }

    @Test("A method that follows every step is complete")
    func complete() throws {
        #expect(Checks.incompleteMethods(try tree(without: nil)) == [])
    }

    @Test(
        "A step that is left out is named",
        arguments: [
            (.list, ["is not in Contract.methods"]),
            (.handler, ["has no handler in PaymentServer/Handlers"]),
            (.transcript, ["is called by no transcript and no test"]),
            (
                .recording,
                [
                    "is not in clients/openrpc.json: record it with RECORD=1",
                    "is not in Methods.md: record it with RECORD=1",
                ]
            ),
        ] as [(Step, [String])])
    func leftOut(_ step: Step, messages: [String]) throws {
        let findings = Checks.incompleteMethods(try tree(without: step))
        #expect(findings.map(\.message) == messages.map { "'sample.echo' \($0)" })
        #expect(findings.allSatisfy { $0.path.hasSuffix("Methods/SampleEcho.swift") })
    }

    /// The repository with the method `sample.echo`, but for one step.
    private func tree(without left: Step?) throws -> SourceTree {
        var tree = try SourceTree.repository()
        // The sentences of this recipe do not count as calls.
        tree.files.removeAll { $0.path.hasPrefix("Tests/EndToEndTests/Lab/") }
        let original = try SourceTree.repository()
        func text(_ name: String) throws -> String {
            try #require(original[Self.folder + name]).text
        }
        func insert(_ added: String, before mark: String, in path: String) throws {
            let index = try #require(tree.files.firstIndex { $0.path == path })
            let text = tree.files[index].text
            let place = try #require(text.range(of: mark))
            tree.files[index] = SourceFile(
                path: path, text: text[..<place.lowerBound] + added + text[place.lowerBound...])
        }
        for step in Step.allCases where step != left {
            switch step {
            case .file:
                tree.files.append(
                    SourceFile(
                        path: "Sources/PaymentAPI/Methods/SampleEcho.swift",
                        text: try text("method.txt")))
            case .list:
                try insert(
                    "SampleEcho.self, ", before: "HelpMethod.self",
                    in: "Sources/PaymentAPI/Contract/Contract.swift")
            case .handler:
                let path = "Sources/PaymentServer/Handlers/DaemonHandlers.swift"
                try insert(
                    "methods.register(SampleEcho.self, sampleEcho)\n        ",
                    before: "methods.register(Cancel.self", in: path)
                try insert(try text("handler.txt"), before: "    func cancel(", in: path)
            case .transcript:
                tree.files.append(
                    SourceFile(
                        path: "clients/transcripts/12-sample.jsonl",
                        text: try text("transcript.txt")))
            case .recording:
                try insert("\"sample.echo\"", before: "{", in: "clients/openrpc.json")
                try insert(
                    "### sample.echo\n", before: "### help\n",
                    in: "Sources/payqueued/Documentation.docc/Methods.md")
            }
        }
        return tree
    }
}
