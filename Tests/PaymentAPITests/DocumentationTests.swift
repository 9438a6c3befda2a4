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
}
