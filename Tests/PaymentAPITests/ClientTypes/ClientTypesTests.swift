import Foundation
import PaymentCore
import StrictJSON
import Testing

/// The typed parts of the client libraries are those of the contract.
@Suite struct ClientTypesTests {
    private static let contract = ClientContract(document: DiscoverTests.document)

    /// The generated files, by their path in the checkout.
    private static let files: [String: String] = [
        "clients/python/payqueued/contract.py": PythonTypes(contract: contract).types,
        "clients/python/payqueued/requests.py": PythonTypes(contract: contract).requests,
        "clients/node/contract.d.cts": TypeScriptTypes(contract: contract).types,
        "clients/node/lib/contract.cjs": TypeScriptTypes(contract: contract).values,
        "clients/go/contract.go": GoTypes(contract: contract).types,
        "clients/rust/src/contract.rs": RustTypes(contract: contract).types,
    ]

    @Test(arguments: files.keys.sorted())
    func `a generated file of a client is that of the contract`(path: String) throws {
        let file = Self.root.appending(path: path)
        let wanted = try #require(Self.files[path])
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try Data(wanted.utf8).write(to: file)
        }
        let kept = try String(contentsOf: file, encoding: .utf8)
        #expect(kept == wanted, "the contract changed; if it should, record it with RECORD=1")
    }

    @Test(arguments: [
        ("clients/node/package.json", "\"version\": "), ("clients/rust/Cargo.toml", "version = "),
        ("clients/python/payqueued/__init__.py", "__version__ = "),
    ])
    func `a client has the version of the product`(path: String, name: String) throws {
        let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        let line = text.split(separator: "\n").first {
            $0.trimmingPrefix(while: \.isWhitespace).hasPrefix(name)
        }
        #expect(
            line?.contains("\"\(Self.contract.version)\"") == true, "\(path) says \(line ?? "none")"
        )
    }

    @Test func `every error of the contract has one code and one kind`() {
        let failures = Self.contract.failures
        #expect(Set(failures.map(\.kind)).count == failures.count)
        #expect(failures.contains { $0.code == "1101" && $0.kind == "unknownProduct" })
    }

    @Test func `a list of words has one name, and a name has one list`() {
        let words = Self.contract.words
        #expect(Set(words.map(\.name)).count == words.count)
        #expect(Set(words.map(\.words)).count == words.count)
        #expect(words.first { $0.name == "TransactionState" }?.words.count == 4)
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
