import Foundation
import PaymentCore
import PaymentStorage
import Testing

@Suite("A secret file")
struct SecretFileTests {
    /// Runs a body with a state directory on the real disk.
    private func withState(_ body: (StateDirectory) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "secret-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        try body(
            StateDirectory(
                path: url.path, identity: .current(program: "test"), started: Samples.time))
    }

    @Test("comes back as it was written, and its owner alone can read it")
    func roundTrip() throws {
        try withState { state in
            let file = SecretFile("one.json", folder: "keys", in: state)
            #expect(try file.read(limit: 10) == nil)
            try file.write([1, 2, 3])
            try file.write([4, 5])
            #expect(try file.read(limit: 2) == [4, 5])
            let folder = try state.disk.directory("keys", create: false)
            #expect(try folder.list() == ["one.json"])
            #expect(try folder.status().permissions & 0o777 == 0o700)
            #expect(try folder.status(of: "one.json")?.permissions == 0o600)
        }
    }

    @Test("that others can read, that is too long or that is a link is refused")
    func refusals() throws {
        try withState { state in
            let file = SecretFile("one.json", folder: "keys", in: state)
            try file.write([1, 2, 3])
            #expect(throws: StorageError.self) { try file.read(limit: 2) }
            let path = state.path + "/keys/one.json"
            for mode: mode_t in [0o640, 0o604, 0o620] {
                #expect(chmod(path, mode) == 0)
                let error = #expect(throws: StorageError.self) { try file.read(limit: 10) }
                #expect(error?.exitCode == 78)
            }
            #expect(chmod(path, 0o600) == 0)
            #expect(try file.read(limit: 10) == [1, 2, 3])
            try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
            #expect(symlink(path + ".old", path) == 0)
            #expect(throws: StorageError.self) { try file.read(limit: 10) }
        }
    }
}
