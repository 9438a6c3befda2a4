import Foundation
import PaymentAPI
import StrictJSON
import Testing

/// What the documentation says of the contract is what the code says.
@Suite struct DocumentationTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let catalogue = root.appending(path: "Sources/payqueued/Documentation.docc")

    @Test func `the method reference is that of the contract`() throws {
        let file = Self.catalogue.appending(path: "Methods.md")
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try Data(MethodReference.page.utf8).write(to: file)
        }
        let kept = try String(contentsOf: file, encoding: .utf8)
        #expect(kept == MethodReference.page, "record it with RECORD=1")
    }

    @Test func `the worked example of the documentation is the one that compiles here`() throws {
        let page = try String(
            contentsOf: Self.catalogue.appending(path: "AddingAMethod.md"), encoding: .utf8)
        let source = try String(
            contentsOf: Self.root.appending(path: "Tests/PaymentAPITests/WorkedExample.swift"),
            encoding: .utf8)
        let shown = page.components(separatedBy: "```swift\n")[1].components(separatedBy: "\n```")[
            0]
        func body(_ text: String) -> String {
            String(text[(text.range(of: "/// `clock`")?.lowerBound ?? text.endIndex)...])
                .trimmingCharacters(in: .newlines)
        }
        #expect(!body(shown).isEmpty)
        #expect(body(shown) == body(source))
    }

    @Test func `the worked example is described like every method`() {
        let help = Help.text(for: Clock.spec)
        #expect(help.contains("clock - Tell the time of the daemon"))
        #expect(help.contains(#""method":"clock""#))
        #expect(Clock.spec.example.result["now"]?.stringValue?.hasSuffix("Z") == true)
    }
}
