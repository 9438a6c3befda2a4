import Foundation
import Testing

@testable import payqueuectl

/// A backup must not lie where a restore makes room.
@Suite("The place of a backup")
struct BackupPlaceTests {
    @Test(
        "A backup that would be moved away before it is read is refused",
        arguments: [
            ("/st", "/st", "the backup itself"), ("/st/copy", "/st", "is in it"),
            ("/st/sandbox", "/st", "is in it"), ("/st/a/b", "/st", "is in it"),
            ("/st", "/st/sandbox", "a part of the backup"), ("/a", "/", "is in it"),
        ])
    func refused(backup: String, target: String, reason: String) {
        let conflict = BackupPlace.conflict(backup: backup, target: target)
        #expect(conflict?.contains(reason) == true)
    }

    @Test(
        "A backup elsewhere, or where a restore leaves it, is taken",
        arguments: [
            ("/st/backups/b1", "/st"), ("/st/backups", "/st"), ("/st/quarantine/before-e", "/st"),
            ("/mnt/b1", "/st"), ("/st2", "/st"), ("/st", "/st2"), ("/st", "/st/backups/new"),
        ])
    func taken(backup: String, target: String) {
        #expect(BackupPlace.conflict(backup: backup, target: target) == nil)
    }

    @Test("A path is resolved through links, dots and what is not there yet")
    func resolved() throws {
        let manager = FileManager.default
        let base = manager.temporaryDirectory
            .appending(path: "backup-place-\(UUID().uuidString)").path
        try manager.createDirectory(atPath: "\(base)/real", withIntermediateDirectories: true)
        defer { try? manager.removeItem(atPath: base) }
        try manager.createSymbolicLink(
            atPath: "\(base)/link", withDestinationPath: "\(base)/real")
        let real = BackupPlace.resolved("\(base)/real")
        #expect(real.hasSuffix("/real"))
        #expect(BackupPlace.resolved("\(base)/link") == real)
        #expect(BackupPlace.resolved("\(base)/link/../real/./") == real)
        #expect(BackupPlace.resolved("\(base)/link/new/one") == "\(real)/new/one")
        #expect(BackupPlace.resolved("/") == "/")
        #expect(BackupPlace.resolved("/payqueued-nowhere") == "/payqueued-nowhere")
    }
}
