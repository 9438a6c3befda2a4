import Foundation
import PaymentCore
import PaymentStorage
import PaymentTesting
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

    @Test("is changed by one process at a time")
    func locked() throws {
        try withState { state in
            let file = SecretFile("one.json", folder: "keys", in: state)
            var changes = 0
            try file.whileLocked {
                let error = #expect(throws: StorageError.self) {
                    try file.whileLocked(waitingUpTo: 0) { changes += 1 }
                }
                #expect(error?.description.contains("is being changed by another process") == true)
            }
            try file.whileLocked(waitingUpTo: 0) { changes += 1 }
            #expect(changes == 1)
        }
    }

    @Test("is on the disk when it is written, with its folder")
    func durable() throws {
        let rig = StorageRig()
        try SecretFile("one.json", folder: "keys", in: rig.stateDirectory()).write([1])
        #expect(rig.world.afterPowerCut { false }.files["keys/one.json"] == [1])
    }

    @Test("stays as it was if it, or the name of its folder, cannot be written")
    func failed() throws {
        let rig = StorageRig()
        let file = SecretFile("one.json", folder: "keys", in: try rig.stateDirectory())
        try file.write([1])
        for fault in [
            MemoryDiskFault(.syncDirectory, namePrefix: ".", .fail(errno: EIO)),
            MemoryDiskFault(.write, .fail(errno: ENOSPC)),
        ] {
            rig.world.inject(fault)
            let error = #expect(throws: StorageError.self) { try file.write([2]) }
            #expect(error?.exitCode == 74)
            rig.world.removeFaults()
            #expect(try file.read(limit: 9) == [1])
        }
    }

    @Test("that is a directory, or that another user owns, is refused")
    func otherKinds() throws {
        let rig = StorageRig()
        let state = try rig.stateDirectory()
        let file = SecretFile("one.json", folder: "keys", in: state)
        try file.write([1])
        rig.world.setOwner(1000, permissions: 0o700)
        let folder = try state.disk.directory("folders", create: true)
        _ = try folder.directory("one.json", create: true)
        for file in [file, SecretFile("one.json", folder: "folders", in: state)] {
            let error = #expect(throws: StorageError.self) { try file.read(limit: 9) }
            #expect(error?.exitCode == 78)
            rig.world.setOwner(0, permissions: 0o700)
        }
        #expect(try file.read(limit: 9) == [1])
    }
}
