import PaymentStorage
import PaymentTesting
import Testing

@Suite("Small files of a state directory")
struct SmallFilesTests {
    private let rig = StorageRig()

    /// The files after the power was cut, with nothing that was not synced.
    private func filesAfterPowerCut() throws -> [String: [UInt8]] {
        StorageRig(world: rig.world.afterPowerCut { false }).world.files
            .filter { $0.key.hasPrefix("small/") }
    }

    @Test func `a change survives a power cut`() throws {
        let files = try SmallFiles("small", in: rig.stateDirectory())
        try files.replace("one", with: [1, 2, 3])
        try files.replace("two", with: [4])
        #expect(try files.names() == ["one", "two"])
        try files.replace("one", with: [5])
        #expect(try filesAfterPowerCut() == ["small/one": [5], "small/two": [4]])
        try files.remove("one")
        #expect(try filesAfterPowerCut() == ["small/two": [4]])
        try files.remove("none")
        #expect(try filesAfterPowerCut() == ["small/two": [4]])
        #expect(try files.read("one") == nil)
        #expect(try files.read("two") == [4])
    }

    @Test func `a file that is too long is not read`() throws {
        let state = try rig.stateDirectory()
        let files = try SmallFiles("small", in: state)
        let file = try state.disk.directory("small", create: false).open("long", .create)
        try file.truncate(to: 3)
        #expect(try files.read("long")?.count == 3)
        try file.truncate(to: SmallFiles.limitBytes + 1)
        #expect(try files.read("long") == nil)
    }
}
