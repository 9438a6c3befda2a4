import PaymentCore
import PaymentTesting
import Testing

@testable import PaymentStorage

@Suite("A backup")
struct BackupTests {
    @Test("taken while the journal goes on is a store with all that was durable then")
    func copy() throws {
        let (rig, journal) = try Backups.journal()
        let ticket = try journal.log.beginBackup()
        try journal.commitNumbers(81...400)
        let report = try BackupWriter.write(ticket, at: Samples.time)
        journal.log.endBackup()

        #expect(report.sequence == ticket.sequence)
        let disk = try Backups.directory(rig, report)
        #expect(JournalVerifier.verify(disk).findings == [])
        let opened = try StorageRig(world: Backups.world(of: disk)).open()
        #expect(opened.items == Samples.items)
        #expect(opened.records.numbers == Array(1...80))
        #expect(opened.journal.epoch == journal.epoch)
        try journal.commitNumbers(401...401)
        #expect(try StorageRig(world: rig.world.afterKill()).open().records.numbers.last == 401)
    }

    @Test(
        "beyond the number that is kept is removed, the oldest first, and what is no backup stays")
    func keeping() throws {
        let (rig, journal) = try Backups.journal()
        let disk = MemoryDisk(world: rig.world)
        func write(hour: Int64) throws -> String {
            defer { journal.log.endBackup() }
            return try BackupWriter.write(
                try journal.log.beginBackup(), at: Samples.time.advanced(bySeconds: hour * 3600)
            ).path
        }
        func keep(_ number: Int, and newest: String) -> [String] {
            BackupWriter.removeOldest(of: disk, keeping: number, and: newest)
        }
        let paths = try (1...5).map { try write(hour: $0) }
        let backups = try disk.directory("backups", create: false)
        _ = try backups.directory("mine", create: true)
        let remains = "20990101T000000000Z-7"
        _ = try backups.directory(remains, create: true)
        #expect(keep(2, and: paths[4]) == Array(paths[..<3]) + ["backups/\(remains)"])
        #expect(keep(2, and: paths[4]) == [])
        // After the clock was set back the newest is the first by its name.
        let early = try write(hour: 0)
        #expect(keep(2, and: early) == [paths[3]])
        let names = try backups.list()
        #expect(names.count == 3 && names.contains("mine"))
        for path in [early, paths[4]] {
            let name = String(path.dropFirst("backups/".count))
            let backup = try backups.directory(name, create: false)
            #expect(JournalVerifier.verify(backup).findings == [])
        }
    }

    @Test("that does not read back as it was written is none")
    func corrupted() throws {
        let (rig, journal) = try Backups.journal()
        rig.world.inject(MemoryDiskFault(.write, number: 3, namePrefix: "journal-", .corrupt))
        #expect(throws: BackupFailure.self) { try Backups.take(journal) }
        let backups = try MemoryDisk(world: rig.world).directory("backups", create: false)
        #expect(try backups.list() == [])
        rig.world.removeFaults()
        try journal.commitNumbers(81...81)
        _ = try Backups.take(journal)
    }

    @Test("is not begun without room for it")
    func noRoom() throws {
        let (rig, journal) = try Backups.journal()
        rig.world.setFreeBytes(1000)
        let error = #expect(throws: BackupFailure.self) { try Backups.take(journal) }
        #expect(error?.cause == .disk && error?.description.contains("only 1000 are free") == true)
        #expect(!rig.world.files.keys.contains { $0.hasPrefix("backups") })
    }

    @Test("does not take the place of another with the same name")
    func sameName() throws {
        let (rig, journal) = try Backups.journal()
        let first = try Backups.directory(rig, Backups.take(journal))
        let error = #expect(throws: BackupFailure.self) { try Backups.take(journal) }
        #expect(error?.description.contains("already exists") == true)
        #expect(JournalVerifier.verify(first).findings == [])
    }

    @Test("is not reported as removed if something is left of it")
    func notRemoved() throws {
        let (rig, journal) = try Backups.journal()
        let backup = try Backups.directory(rig, Backups.take(journal))
        let inner = try backup.directory("mine", create: true)
        _ = try inner.directory("more", create: true).open("file", .create)
        #expect(BackupWriter.removeOldest(of: rig.disk, keeping: 0, and: "") == [])
    }

    @Test("has no file that is shorter than it was")
    func shortFile() throws {
        let world = MemoryDiskWorld()
        world.put("short", [1, 2, 3])
        world.put("empty", [])
        let disk = MemoryDisk(world: world)
        let copies = try disk.directory("copies", create: true)
        #expect(throws: BackupFailure.self) {
            try FileCopy.copy("short", of: disk, to: copies, upTo: 4)
        }
        #expect(try FileCopy.copy("empty", of: disk, to: copies) == 0)
    }

    @Test("holds the embedded store as well, and files that belong to nobody's journal")
    func parts() throws {
        let rig = StorageRig()
        let state = try rig.stateDirectory()
        let keys = try state.disk.directory("keys", create: true)
        let file = try keys.open("k.pem", .create)
        #expect(try file.write([1, 2, 3].span, at: 0) == 3)
        let (journal, _) = try LocalLog.open(
            in: state, settings: rig.settings, SeenReplay(store: NoteReplay()))
        journal.append(StoreRecord(Note(text: "one")), time: Samples.time)
        try journal.commitNumbers(1...3)

        let report = try BackupWriter.write(
            journal.log.beginBackup(), directories: ["keys", "sessions"], at: Samples.time)

        let target = StorageRig()
        let restored = try target.stateDirectory()
        _ = try BackupInstaller.install(
            Backups.directory(rig, report), into: restored, settingAside: false,
            environment: .foreseeable(seed: 5))
        let copy = try restored.disk.directory("keys", create: false).open("k.pem", .read)
        #expect(try copy.length() == 3)
        let store = NoteReplay()
        _ = try LocalLog.open(
            in: restored, settings: rig.settings, SeenReplay(store: store))
        #expect(store.texts == ["one"])
    }

    @Test("of an earlier version, with a journal of the store, is restored with both")
    func separateStore() throws {
        let base = try #require(
            MutationBase.all.first { $0.files["sandbox/format.json"] != nil })
        let target = StorageRig(policy: StateRig.policy)
        let restored = try target.stateDirectory()
        _ = try BackupInstaller.install(
            MemoryDisk(world: MemoryDiskWorld(files: base.files)), into: restored,
            settingAside: false, environment: .foreseeable(seed: 5))
        let store = NoteReplay()
        let seen = SeenReplay(store: store)
        let (journal, _) = try LocalLog.open(in: restored, settings: target.settings, seen)
        #expect(store.texts == (1...15).map { "\($0 * 4)" })
        #expect(journal.head == base.records.keys.max())
        #expect(
            seen.records.map(\.sequence)
                == base.records.keys.filter {
                    $0 > seen.loadedUpTo ?? 0
                }.sorted())
    }

    @Test("made beside the owner of the journal ends with the last whole line there is")
    func beside() throws {
        let rig = StorageRig()
        let state = try rig.stateDirectory()
        let inner = try state.disk.directory("sandbox", create: true)
        #expect(throws: BackupFailure.self) { try BackupTicket(reading: inner) }
        let (notes, _) = try RecordJournal<Note>.open(
            in: state.subdirectory("sandbox"), settings: rig.settings, load: { _, _ in },
            replay: { _, _, _ in })
        for text in ["one", "two"] {
            _ = notes.append(Note(text: text), time: Samples.time)
            try notes.commit()
        }
        let ticket = try BackupTicket(reading: inner)
        #expect(ticket.sequence == 3)
        // A batch that is being written: half a line behind the last whole one.
        let name = try #require(inner.list().first { $0.hasPrefix("journal-") })
        let file = try inner.open(name, .update)
        var bytes = [UInt8](repeating: 0, count: try file.length())
        #expect(try file.read(into: &bytes, at: 0) == bytes.count)
        let end = try #require(bytes.lastIndex(of: UInt8(ascii: "}"))) + 2
        let half = Array(#"{"c":"00000000","s":4"#.utf8)
        #expect(try file.write(half.span, at: end) == half.count)
        #expect(try BackupTicket(reading: inner).sequence == 3)

        let report = try BackupWriter.write(
            ticket, in: "sandbox", of: state.disk, at: Samples.time)
        let copy = try Backups.directory(rig, report)
        let target = StorageRig(
            world: try Backups.world(of: copy.directory("sandbox", create: false)))
        var texts: [String] = []
        _ = try RecordJournal<Note>.open(
            in: target.stateDirectory(), settings: target.settings, load: { _, _ in },
            replay: { note, _, _ in texts.append(note.text) })
        #expect(texts == ["one", "two"])
        #expect(report.sequence == 3)
    }

    @Test("becomes a store with the same content, another name and another epoch")
    func restore() throws {
        let (rig, journal) = try Backups.journal()
        let disk = try Backups.directory(rig, Backups.take(journal))
        let target = StorageRig()
        let report = try BackupInstaller.install(
            disk, into: target.stateDirectory(), settingAside: false,
            environment: .foreseeable(seed: 9))

        #expect(JournalVerifier.verify(MemoryDisk(world: target.world)).findings == [])
        #expect(report.setAside == nil)
        let opened = try target.open()
        #expect(opened.journal.epoch == report.epoch && report.epoch != journal.epoch)
        #expect(opened.journal.log.format.store != journal.log.format.store)
        #expect(opened.items == Samples.items)
        #expect(opened.records.numbers == Array(1...80))
        #expect(opened.journal.head == journal.head)
        #expect(
            try opened.journal.records(after: 0, count: 500)
                == journal.records(after: 0, count: 500))
        try opened.journal.commitNumbers(81...81)
    }

    @Test("does not take the place of a store unless asked, and then keeps that in quarantine")
    func occupied() throws {
        let (rig, journal) = try Backups.journal()
        let disk = try Backups.directory(rig, Backups.take(journal))
        let target = StorageRig()
        let old = try target.open().journal
        try old.commitNumbers(1...5)
        try old.close()
        let world = target.world.afterKill()
        let before = world.files
        let second = StorageRig(world: world)
        #expect(throws: BackupFailure.self) {
            try BackupInstaller.install(disk, into: second.stateDirectory(), settingAside: false)
        }
        #expect(world.files == before)

        let report = try BackupInstaller.install(
            disk, into: second.stateDirectory(), settingAside: true)
        #expect(try second.open().items == Samples.items)
        let place = try #require(report.setAside?.split(separator: "/").last)
        let kept = try MemoryDisk(world: world).directory("quarantine", create: false)
            .directory(String(place), create: false)
        #expect(try Backups.world(of: kept).files["format.json"] == before["format.json"])
        #expect(
            try StorageRig(world: Backups.world(of: kept)).open().records.numbers
                == Array(1...5))
    }

    /// A backup, and a directory for it that is taken by nobody.
    private func nodes() throws -> (backup: any Disk, target: StorageRig) {
        let (rig, journal) = try Backups.journal()
        return (try Backups.directory(rig, Backups.take(journal)), StorageRig())
    }

    private func failure(_ backup: any Disk, into target: StorageRig) throws -> BackupFailure? {
        let directory = try target.stateDirectory()
        let before = target.world.files
        let error = #expect(throws: BackupFailure.self) {
            try BackupInstaller.install(backup, into: directory, settingAside: true)
        }
        #expect(error?.isBegun == (target.world.files != before))
        return error
    }

    @Test("without a journal is none")
    func noJournal() throws {
        let error = try failure(MemoryDisk(world: MemoryDiskWorld()), into: StorageRig())
        #expect(error?.description.contains("there is no journal in it") == true)
    }

    @Test("for which the disk has no room is not restored")
    func noRoomToRestore() throws {
        let (backup, target) = try nodes()
        target.world.setFreeBytes(9000)
        let error = try failure(backup, into: target)
        #expect(error?.cause == .disk && error?.isBegun == false)
    }

    @Test(
        "is not restored over files of a journal without its format file",
        arguments: ["journal-00000000000000000001.ndjson", "snapshot-00000000000000000009.json"])
    func withoutFormat(name: String) throws {
        let (backup, target) = try nodes()
        target.world.put(name, Array("anything\n".utf8))
        let error = try failure(backup, into: target)
        #expect(error?.description.contains("without its format file") == true)
    }

    @Test("whose restoring fails is restored again without more ado, and until then is no store")
    func failing() throws {
        let (backup, target) = try nodes()
        let old = try target.open().journal
        try old.commitNumbers(1...5)
        try old.close()
        let next = StorageRig(world: target.world.afterKill())
        next.world.inject(MemoryDiskFault(.write, namePrefix: "snapshot-", .fail(errno: 5)))
        let error = try failure(backup, into: next)
        #expect(error?.isBegun == true && error?.description.contains("quarantine/before-") == true)
        let again = StorageRig(world: next.world.afterKill())
        #expect(throws: StorageError.self) { try StorageRig(world: again.world.afterKill()).open() }
        _ = try BackupInstaller.install(
            backup, into: again.stateDirectory(), settingAside: false)
        #expect(try again.open().items == Samples.items)
    }

    @Test("is restored on a disk whose reads are reported")
    func observed() throws {
        let (backup, target) = try nodes()
        let old = try target.open().journal
        try old.close()
        let world = target.world.afterKill()
        var rig = StorageRig(world: world)
        let reads = Counter(0)
        rig.disk = ObservedDisk(rig.disk) { _, _, _ in _ = reads.next() }
        let report = try BackupInstaller.install(
            backup, into: rig.stateDirectory(), settingAside: true)
        #expect(reads.next() > 1)
        let place = try #require(report.setAside)
        #expect(world.files.keys.contains { $0.hasPrefix("\(place)/journal-") })
        #expect(try StorageRig(world: world).open().items == Samples.items)
    }

    @Test("that is damaged is not restored, and nothing was changed")
    func damaged() throws {
        let (rig, journal) = try Backups.journal()
        let copy = try Backups.world(of: Backups.directory(rig, Backups.take(journal)))
        let name = try #require(copy.files.keys.first { $0.hasPrefix("journal-") })
        var bytes = try #require(copy.files[name])
        bytes[200] ^= 1
        copy.put(name, bytes)
        let target = StorageRig()
        let directory = try target.stateDirectory()
        let before = target.world.files
        #expect(throws: BackupFailure.self) {
            try BackupInstaller.install(
                MemoryDisk(world: copy), into: directory, settingAside: true)
        }
        #expect(target.world.files == before)
    }

    @Test("whose restoring power cuts short can be restored again, and is no store until then")
    func powerCuts() throws {
        let (rig, journal) = try Backups.journal()
        let source = try Backups.world(of: Backups.directory(rig, Backups.take(journal)))
        let first = StorageRig()
        let old = try first.open().journal
        try old.commitNumbers(1...5)
        let occupied = first.world.afterKill()
        func install(_ world: MemoryDiskWorld) throws {
            _ = try BackupInstaller.install(
                MemoryDisk(world: source), into: StorageRig(world: world).stateDirectory(),
                settingAside: true)
        }
        let whole = occupied.afterKill()
        try install(whole)
        for call in 1...whole.callCount {
            let world = occupied.afterKill()
            world.cutPower(atCall: call)
            try? install(world)
            for survives in [true, false] {
                let next = world.afterPowerCut { survives }
                // Until it is done, the old store or none; never a mixture.
                if let opened = try? StorageRig(world: next.afterKill()).open() {
                    let numbers = opened.records.numbers
                    #expect(
                        numbers == Array(1...5) && opened.items.isEmpty
                            || numbers == Array(1...80) && opened.items == Samples.items,
                        "call \(call)")
                }
                try install(next)
                #expect(
                    try StorageRig(world: next).open().items == Samples.items, "call \(call)")
            }
        }
    }
}
