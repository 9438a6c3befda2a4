import Foundation
import PaymentTesting
import Testing

/// A start that is refused may be tried again: it leaves what it found.
@Suite("A start that is refused", .ownThreads)
struct RefusedStartTests {
    @Test("The state directory of a store server is refused, and the server goes on with it")
    func storeDirectory() throws {
        let place = try Workplace()
        let store = StoreServer(in: place)
        store.flags = ["--demo"]
        try store.start()
        try store.stop()
        let daemon = try Daemon([])
        try FileManager.default.moveItem(atPath: place("store"), toPath: daemon.state)
        let child = try daemon.launch()
        #expect(try child.wait() == .exit(78))
        #expect(daemon.log.contains("is the state directory of payqueue-store"), "\(daemon.log)")
        try FileManager.default.moveItem(atPath: daemon.state, toPath: place("store"))
        try store.start()
        try store.stop()
    }

    @Test("A journal that is refused leaves every file of the state directory as it was")
    func damagedJournal() throws {
        let daemon = try Daemon()
        try Self.fill(daemon)
        try Self.damage("\(daemon.state)/")
        let before = try Self.files(in: daemon.state)
        #expect(before.count > 4)
        #expect(before["sandbox"] == nil)

        let refused = try daemon.launch()
        #expect(try refused.wait() == .exit(65), "\(daemon.log)")

        let after = try Self.files(in: daemon.state)
        #expect(before.keys.sorted() == after.keys.sorted())
        for (name, bytes) in before { #expect(after[name] == bytes, "\(name) was changed") }
        #expect(FileManager.default.fileExists(atPath: daemon.socket), "that of the process before")
    }

    @Test("A demo that cannot start leaves neither its directory nor a socket")
    func demo() throws {
        try Daemon.run { daemon in
            let place = daemon.place
            try FileManager.default.createDirectory(
                atPath: place("tmp"), withIntermediateDirectories: false)
            let group = try place.write(#"{"socketGroup":"nobodies"}"#, to: "group.json")
            for (flags, code) in [
                (["--socket", place("own"), "--config", group], 78),
                (["--socket", place("missing/own")], 78),
                (["--socket", place("own"), "--state-directory", daemon.state], 69),
                (["--socket", daemon.socket], 69),
                (["--socket", place("own"), "--metrics-socket", daemon.socket], 69),
            ] as [([String], Int32)] {
                let refused = try Child.run(
                    [Built.daemon, "--demo"] + flags, in: place,
                    environment: ["TMPDIR": place("tmp")])
                #expect(refused.ending == .exit(code), "\(refused.errors)")
                let left = try FileManager.default.contentsOfDirectory(atPath: place("tmp"))
                #expect(left == [], "\(flags)")
                #expect(!FileManager.default.fileExists(atPath: place("own")), "\(flags)")
            }
        }
    }

    /// Buys one thing after the other and kills the daemon, so that the next start has to recover.
    private static func fill(_ daemon: Daemon) throws {
        try daemon.start()
        for number in 0..<5 {
            let bought = try Child.run(
                [
                    Built.control, "buy", "coins.100", "--finish", "--key", "key-\(number)",
                    "--socket", daemon.socket,
                ], in: daemon.place)
            try #require(bought.ending == .exit(0), "\(bought.errors)")
        }
        try daemon.killHard()
    }

    /// Flips a bit in the middle of the lines of a journal.
    private static func damage(_ folder: String) throws {
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder)
                .first { $0.hasPrefix("journal-") })
        var bytes = contents(of: folder + name)
        let end = try #require(bytes.lastIndex { $0 != UInt8(ascii: "\n") && $0 != 0 })
        bytes[end / 2] ^= 4
        try Data(bytes).write(to: URL(filePath: folder + name))
    }

    /// The bytes of all files below a directory, and the directories.
    private static func files(in folder: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            files[name] = contents(of: "\(folder)/\(name)")
        }
        return files
    }
}
