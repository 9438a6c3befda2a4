import Foundation
import PaymentTesting
import Testing

/// Every line that the page on validating purchases says to type is typed here.
@Suite("Validating purchases", .ownThreads)
struct ValidationPageTests {
    private static let page = "Sources/payqueued/Documentation.docc/ValidatingPurchases.md"

    @Test("The page leads from a Merchant ID to an unlock, and refuses what is not to be unlocked")
    func page() throws {
        let tools = ["bash", "setsid", "curl", "jq", "python3"]
        if let missing = tools.first(where: { !Built.has($0) }) {
            return Skip.because("\(missing) is not installed")
        }
        guard let programs = PythonTools.publisher else {
            return Skip.because("PyJWT is not installed and cannot be")
        }
        let environment = URL(filePath: programs).deletingLastPathComponent().path
        let port = try EtcdServer.freePort()
        let session = try Session(page: Self.page, replacing: ["8480": "\(port)"])
        // The packages are there once for all tests, so that only the first one needs a network.
        let prelude = """
            python3() {
                [ "$*" = "-m venv publisher" ] && ln -s '\(environment)' publisher
            }

            """
        try session.run(after: prelude) { place, output in
            var rest = output[...]
            for words in [
                "unlocked remove-ads for user-1", "unlocked before: remove-ads for user-1",
                "exit 1", "exit 1", "exit 1", "remove-ads", "remove-ads", "exit 1", "remove-ads",
            ] {
                let found = try #require(rest.range(of: words), "'\(words)' in \(rest)")
                rest = rest[found.upperBound...]
            }
            let errors = text(of: place("session.err"))
            for reason in [
                "refused: another account has bought it", "refused: it is another product",
                "refused: it was taken back at ",
            ] {
                #expect(errors.contains(reason), "\(reason): \(errors)")
            }
            let granted = text(of: place("clone/granted")).split(separator: "\n")
            #expect(granted.count == 1, "an order is unlocked once")
            let mode = try FileManager.default.attributesOfItem(atPath: place("clone/secret"))
            #expect(mode[.posixPermissions] as? Int == 0o600)
        }
    }
}
