import Foundation
import PaymentClient
import Testing

/// Keys outlive the process that made them.
@Suite("Idempotency keys")
struct IdempotencyKeysTests {
    private static func withFile(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "keys-\(UInt64.random(in: 0...UInt64.max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "keys.json").path)
    }

    @Test("An intent has one key, whoever asks, and another intent has another")
    func stable() async throws {
        try await Self.withFile { path in
            let key = try IdempotencyKeys(path: path).key(for: "order-1")
            #expect(try IdempotencyKeys(path: path).key(for: "order-1") == key)
            #expect(try IdempotencyKeys(path: path).key(for: "order-2") != key)
        }
    }

    @Test("A key is in the file before it is handed out, and only its owner may read it")
    func onDisk() async throws {
        try await Self.withFile { path in
            let key = try IdempotencyKeys(path: path).key(for: "order-1")
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.contains(key))
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }
    }

    @Test("A forgotten intent gets another key")
    func forgotten() async throws {
        try await Self.withFile { path in
            let keys = IdempotencyKeys(path: path)
            let key = try keys.key(for: "order-1")
            try keys.forget("order-1")
            #expect(try keys.key(for: "order-1") != key)
        }
    }

    @Test("Those who use a file at the same time lose no key")
    func shared() async throws {
        try await Self.withFile { path in
            let given =
                try await withThrowingTaskGroup(of: (String, String).self) { group in
                    for number in 0..<40 {
                        // Two of them ask for the same.
                        let intent = "order-\(number / 2)"
                        group.addTask { (intent, try IdempotencyKeys(path: path).key(for: intent)) }
                    }
                    return try await group.reduce(into: [:]) { keys, one in
                        keys[one.0, default: []].append(one.1)
                    }
                } as [String: [String]]
            #expect(given.count == 20)
            for (intent, keys) in given {
                #expect(Set(keys).count == 1)
                #expect(try IdempotencyKeys(path: path).key(for: intent) == keys.first)
            }
        }
    }

    @Test("A file that holds something else is refused, and not replaced")
    func stranger() async throws {
        try await Self.withFile { path in
            try Data("not keys".utf8).write(to: URL(filePath: path))
            #expect(throws: KeyFileFailure.self) {
                try IdempotencyKeys(path: path).key(for: "order-1")
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "not keys")
        }
    }
}
