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
        let port = try freePort()
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

    /// A port that nothing listens on.
    private func freePort() throws -> Int {
        let found = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(found) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(found, $0, length) == 0 && getsockname(found, $0, &length) == 0
            }
        }
        guard isBound else { throw Trouble("no port is free") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
