import Foundation
import PaymentClient
import Testing

/// Keys outlive the process that made them.
@Suite("Idempotency keys")
struct IdempotencyKeysTests {
    private static func withFile(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "keys-\(UInt64.random(in: 0...UInt64.max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appending(path: "keys.json").path)
    }

    @Test("An intent has one key, whoever asks, and another intent has another")
    func stable() throws {
        try Self.withFile { path in
            let key = try IdempotencyKeys(path: path).key(for: "order-1")
            #expect(try IdempotencyKeys(path: path).key(for: "order-1") == key)
            #expect(try IdempotencyKeys(path: path).key(for: "order-2") != key)
        }
    }

    @Test("A key is in the file before it is handed out, and only its owner may read it")
    func onDisk() throws {
        try Self.withFile { path in
            let key = try IdempotencyKeys(path: path).key(for: "order-1")
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.contains(key))
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }
    }

    @Test("A forgotten intent gets another key")
    func forgotten() throws {
        try Self.withFile { path in
            let keys = IdempotencyKeys(path: path)
            let key = try keys.key(for: "order-1")
            try keys.forget("order-1")
            #expect(try keys.key(for: "order-1") != key)
        }
    }

    @Test("A file that holds something else is refused, and not replaced")
    func stranger() throws {
        try Self.withFile { path in
            try Data("not keys".utf8).write(to: URL(filePath: path))
            #expect(throws: KeyFileFailure.self) {
                try IdempotencyKeys(path: path).key(for: "order-1")
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "not keys")
        }
    }
}
