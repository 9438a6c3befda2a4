import Foundation
import PaymentTesting
import Testing

/// People and tools read the daemon's files.
@Suite("The files of the daemon", .ownThreads)
struct ReadableFilesTests {
    @Test("jq reads every file up to its last complete line at any moment of its life")
    func jq() throws {
        guard Built.has("jq") else { return Skip.because("jq is not installed") }
        let daemon = try Daemon()
        try daemon.start()
        try Self.expectReadable(daemon)
        let buyers = try Buyers(daemon, purchases: 400, connections: 4)
        while !buyers.isDone { try Self.expectReadable(daemon) }
        try buyers.finish()
        try daemon.killHard()
        try Self.expectReadable(daemon)
        try daemon.start()
        try Self.expectReadable(daemon)
        try daemon.stop()
        try Self.expectReadable(daemon)
    }

    @Test("A stopped daemon leaves files that jq reads to their last byte")
    func complete() throws {
        guard Built.has("jq") else { return Skip.because("jq is not installed") }
        let daemon = try Daemon()
        try daemon.start()
        try daemon.connect().call("add", #"{"product":"coins.100"}"#)
        try daemon.stop()
        for name in Self.files(daemon) where name.hasSuffix("json") {
            let read = try Child.run(
                ["jq", "-e", ".", "\(daemon.state)/\(name)"], in: daemon.place)
            #expect(read.ending == .exit(0), "\(name): \(read.errors)")
        }
    }

    private static func files(_ daemon: Daemon) -> [String] {
        let all = FileManager.default.enumerator(atPath: daemon.state)?.allObjects ?? []
        return all.compactMap { $0 as? String }.filter { name in
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(
                atPath: "\(daemon.state)/\(name)", isDirectory: &isFolder)
            return exists && !isFolder.boolValue && !name.hasPrefix("quarantine")
        }
    }

    private static func expectReadable(_ daemon: Daemon) throws {
        let files = files(daemon)
        #expect(!files.isEmpty)
        for name in files {
            let bytes = contents(of: "\(daemon.state)/\(name)")
            guard let end = bytes.lastIndex(of: 10) else { continue }
            let copy = daemon.place("copy")
            try Data(bytes[...end]).write(to: URL(filePath: copy))
            let read = try Child.run(["jq", "-c", "empty", copy], in: daemon.place)
            #expect(read.ending == .exit(0), "\(name): \(read.errors)")
        }
    }
}
