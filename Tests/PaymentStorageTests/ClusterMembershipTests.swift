import Glibc
import PaymentStorage
import PaymentTesting
import Testing

/// The file that names the cluster of a state directory.
@Suite("The cluster of a state directory")
struct ClusterMembershipTests {
    private let rig = StorageRig()

    /// The directory after the power was cut, with nothing that was not synced.
    private var afterPowerCut: StorageRig {
        StorageRig(world: rig.world.afterPowerCut { false })
    }

    @Test(
        arguments: [
            ("queue", "queue"), ("a/b", "a/b"), ("a/b///", "a/b"), ("!~", "!~"),
            (String(repeating: "p", count: 256), String(repeating: "p", count: 256)),
            (String(repeating: "p", count: 257), nil), ("", nil), ("//", nil), ("a b", nil),
            ("a\u{7F}", nil), ("ä", nil),
        ] as [(String, String?)])
    func `a prefix has 1 to 256 printable characters`(text: String, prefix: String?) {
        #expect(ClusterMembership.prefix(of: text) == prefix)
    }

    @Test func `a directory without the file, or without its directory, is of no cluster`() throws {
        let state = try rig.stateDirectory()
        #expect(try ClusterMembership(of: state.disk) == nil)
        try ClusterMembership.remove(from: state)
        #expect(try state.disk.status(of: "cluster") == nil)
        _ = try state.disk.directory("cluster", create: true)
        #expect(try ClusterMembership(of: state.disk) == nil)
    }

    @Test func `what is written survives a power cut, and so does its removal`() throws {
        let state = try rig.stateDirectory()
        for membership in [
            ClusterMembership(prefix: "one", mayImport: true), ClusterMembership(prefix: "two"),
        ] {
            try membership.write(to: state)
            let next = try afterPowerCut.stateDirectory()
            #expect(try ClusterMembership(of: next.disk) == membership)
        }
        try ClusterMembership.remove(from: state)
        #expect(try ClusterMembership(of: state.disk) == nil)
        #expect(try ClusterMembership(of: afterPowerCut.stateDirectory().disk) == nil)
    }

    @Test func `a failure of the disk is thrown`() throws {
        let state = try rig.stateDirectory()
        func fail(_ call: MemoryDiskFault.Call, _ body: () throws -> Void) {
            rig.world.inject(MemoryDiskFault(call, .fail(errno: EIO)))
            let error = #expect(throws: StorageError.self, performing: body)
            #expect(error?.exitCode == 74)
            rig.world.removeFaults()
        }
        let membership = ClusterMembership(prefix: "one")
        for call in [MemoryDiskFault.Call.syncDirectory, .write, .rename] {
            fail(call) { try membership.write(to: state) }
        }
        try membership.write(to: state)
        for call in [MemoryDiskFault.Call.examine, .read] {
            fail(call) { _ = try ClusterMembership(of: state.disk) }
        }
        for call in [MemoryDiskFault.Call.examine, .remove, .syncDirectory] {
            fail(call) { try ClusterMembership.remove(from: state) }
        }
    }

    @Test(arguments: ["", "{", "[]", #"{"prefix":1}"#])
    func `a file that names no cluster is refused`(text: String) throws {
        let state = try rig.stateDirectory()
        try SmallFiles("cluster", in: state).replace("membership.json", with: Array(text.utf8))
        let error = #expect(throws: StorageError.self) { try ClusterMembership(of: state.disk) }
        #expect(error?.exitCode == 78)
    }

    @Test func `only the cluster of a directory may use it`() throws {
        let state = try rig.stateDirectory()
        try ClusterMembership.check(state, prefix: nil)
        try ClusterMembership.check(state, prefix: "one")
        try ClusterMembership(prefix: "one").write(to: state)
        try ClusterMembership.check(state, prefix: "one")
        for other in [nil, "two"] {
            let error = #expect(throws: StorageError.self) {
                try ClusterMembership.check(state, prefix: other)
            }
            #expect(error?.exitCode == 78)
        }
    }
}
