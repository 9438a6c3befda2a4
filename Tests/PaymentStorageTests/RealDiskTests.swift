import Foundation
import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

/// The same journal on a real file system, and `jq` as the judge of its files.
@Suite("On a real disk")
struct RealDiskTests {
    private static let jq = ["/usr/bin/jq", "/usr/local/bin/jq", "/opt/homebrew/bin/jq"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// A directory that is removed at the end of a test.
    private final class Folder {
        let path: String

        init() throws {
            let url = FileManager.default.temporaryDirectory
                .appending(path: "storage-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            path = url.path
            chmod(path, 0o700)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    private func open(
        _ path: String, policy: JournalPolicy = JournalPolicy(reserveBytes: 1 << 16)
    ) throws -> (LocalLog, RecoveryReport, [Record]) {
        let directory = try StateDirectory(
            path: path, identity: .current(program: "test"), started: Samples.time)
        let seen = SeenReplay()
        let (journal, report) = try LocalLog.open(
            in: directory, settings: LogSettings(policy: policy, build: "test"), seen)
        return (journal, report, seen.records)
    }

    @Test("everything that is committed is there again, after a clean stop and after none")
    func roundTrip() throws {
        let folder = try Folder()
        let path = folder.path + "/deep/state"
        do {
            let (journal, report, _) = try open(path)
            #expect(report.isNew)
            try journal.commit(Samples.all)
            try journal.close()
        }
        do {
            let (journal, report, records) = try open(path)
            #expect(report.wasClean)
            #expect(records.count == Samples.all.count)
            try journal.commitNumbers(1...1000)
        }
        let (journal, report, records) = try open(path)
        #expect(!report.wasClean)
        #expect(records.count == Samples.all.count + 1000)
        #expect(try journal.records(after: 0, count: 2000) == records)
        let disk = try SystemDisk(path: path, create: false)
        #expect(JournalVerifier.verify(disk).findings == [])
        #expect(try disk.status(of: "lock")?.permissions == 0o600)
        #expect(try disk.status().permissions == 0o700)
    }

    private static func run(_ program: String, _ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Runs a body with a file system of its own.
    private static func withMount(
        _ arguments: [String], _ body: (String) throws -> Void = { _ in }
    ) throws -> Bool {
        let folder = try Folder()
        guard run("/bin/mount", arguments + ["none", folder.path]) else { return false }
        defer { _ = run("/bin/umount", [folder.path]) }
        try body(folder.path)
        return true
    }

    /// A file system that can have no file but its top directory.
    private static let full = ["-t", "tmpfs", "-o", "nr_inodes=1"]
    private static let canMount = (try? withMount(full)) == true

    @Test(
        "a full disk that cannot take a state directory is the cause, not the choice of the directory",
        .enabled(if: canMount, "skipped: nothing can be mounted"))
    func fullDisk() throws {
        _ = try Self.withMount(Self.full) { path in
            let error = #expect(throws: StorageError.self) { try open(path + "/state") }
            #expect(error?.exitCode != 78)
            #expect(error?.description.contains("no space left on device") == true)
            let disk = try SystemDisk(path: path, create: false)
            let full = #expect(throws: DiskFailure.self) {
                try disk.directory("folder", create: true)
            }
            #expect(full?.errno == ENOSPC)
            #expect(chmod(path, 0o770) == 0)
            let unsuitable = #expect(throws: StorageError.self) { try open(path) }
            #expect(unsuitable?.exitCode == 78)
        }
    }

    @Test(
        "a file gets its room by writing where the file system gives none ahead",
        .enabled(if: canMount, "skipped: nothing can be mounted"))
    func withoutAllocation() throws {
        _ = try Self.withMount(["-t", "ramfs"]) { path in
            let file = try SystemDisk(path: path, create: false).open("file", .create)
            try file.allocate(upTo: 8192)
            #expect(try file.length() == 8192)
        }
    }

    /// Something under the name of a file.
    enum Impostor: CaseIterable {
        case pipe, directory, link
    }

    @Test(
        "a pipe, a directory or a link in the place of a file is refused by name, and never waited for",
        .timeLimit(.minutes(1)), arguments: Impostor.allCases)
    func impostor(kind: Impostor) throws {
        let base = try #require(
            MutationBase.all.first { $0.testDescription == "closed things, stopped" })
        for name in base.files.keys.sorted() {
            let folder = try Folder()
            for (other, bytes) in base.files where other != name {
                try Data(bytes).write(to: URL(filePath: folder.path).appending(path: other))
            }
            let path = "\(folder.path)/\(name)"
            switch kind {
            case .pipe: try #require(mkfifo(path, 0o600) == 0)
            case .directory: try #require(mkdir(path, 0o700) == 0)
            case .link: try #require(symlink("/dev/zero", path) == 0)
            }
            var failure: StorageError?
            do throws(StorageError) {
                let directory = try StateDirectory(
                    path: folder.path, identity: .current(program: "test"), started: Samples.time)
                _ = try LocalLog.read(
                    in: directory, settings: StorageRig(policy: KeptShop.policy).settings,
                    SeenReplay())
            } catch {
                failure = error
            }
            let report = JournalVerifier.verify(try SystemDisk(path: folder.path, create: false))
            // An index is a cache, and a start has an older snapshot.
            let isNeeded = !name.hasSuffix(".index") && !name.hasPrefix("snapshot-")
            #expect((failure != nil) == isNeeded, "\(name)")
            #expect((report.exitCode != 0) == isNeeded, "\(name)")
            if let failure {
                #expect(failure.exitCode == 65 || failure.exitCode == 74, "\(failure)")
                #expect("\(failure)".contains(path), "\(failure)")
            }
        }
    }

    @Test("a second owner is told who the first is")
    func lock() throws {
        let folder = try Folder()
        let (journal, _, _) = try open(folder.path)
        let error = try #require(throws: StorageError.self) { try open(folder.path) }
        guard case .inUse(let holder) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(holder.pid == ProcessInfo.processInfo.processIdentifier)
        #expect(holder.program == "test")
        try journal.close()
    }

    @Test("an empty store stays small")
    func smallStore() throws {
        let folder = try Folder()
        let (journal, _, _) = try open(folder.path)
        try journal.commitNumbers(1...10)
        let disk = try SystemDisk(path: folder.path, create: false)
        let bytes = try disk.list().reduce(0) { try $0 + (disk.status(of: $1)?.length ?? 0) }
        #expect(bytes < 2 << 20)
        try journal.close()
    }

    @Test(
        "jq reads every file at any moment",
        .enabled(if: jq != nil, "jq is not installed"))
    func jqReadsEverything() throws {
        let folder = try Folder()
        let policy = JournalPolicy(
            segmentBytes: 64 << 10, firstPrefilledBytes: 16 << 10, reserveBytes: 1 << 16)
        let (journal, _, _) = try open(folder.path, policy: policy)
        for round in 0..<40 as Range<UInt64> {
            for batch in 0..<20 as Range<UInt64> {
                let first = round * 100 + batch * 5 + 1
                try journal.commitNumbers(first...first + 4)
            }
            if round % 10 == 3 {
                let ticket = try #require(try journal.log.beginSnapshot())
                let receipt = try LocalLog.writeSnapshot(ticket) { Samples.items.forEach($0) }
                try journal.log.snapshotWasWritten(receipt)?.perform()
            }
            if round % 8 == 0 { try expectJQ(reads: folder.path) }
        }
        try journal.close()
        try expectJQ(reads: folder.path)
    }

    private func expectJQ(reads path: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        #expect(names.count > 3)
        for name in names {
            let process = Process()
            process.executableURL = URL(filePath: try #require(Self.jq))
            process.arguments = ["-c", ".", path + "/" + name]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            // A file may have got its final name in between.
            guard FileManager.default.fileExists(atPath: path + "/" + name) else { continue }
            #expect(process.terminationStatus == 0, "\(name)")
        }
    }
}
