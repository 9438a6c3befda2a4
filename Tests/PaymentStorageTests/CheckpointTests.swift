import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("A checkpoint")
struct CheckpointTests {
    @Test("moves closed things from memory to files, where they are found by id and key")
    func moves() throws {
        var shop = try KeptShop(StorageRig(policy: KeptShop.policy))
        try shop.work()
        #expect(shop.queue.transaction(KeptShop.id(2)) == nil)
        #expect(try shop.status(of: 2) == .closed)
        #expect(try shop.status(of: 5) == .open)
        #expect(try shop.status(of: 99) == .unknown)
        let again = try KeptShop(
            StorageRig(world: shop.rig.world.afterKill(), policy: KeptShop.policy))
        #expect(again.queue.transaction(KeptShop.id(2)) == nil)
        for number in UInt64(1)...12 {
            #expect(try again.status(of: number) == shop.status(of: number), "\(number)")
        }
    }

    @Test(
        "that is cut by a loss of power at any call loses nothing and closes nothing",
        arguments: [false, true])
    func cuts(survives: Bool) throws {
        var whole = try KeptShop(StorageRig(policy: KeptShop.policy))
        try whole.work()
        let calls = whole.rig.world.callCount
        #expect(calls > 100)
        for call in 1...calls {
            let rig = StorageRig(policy: KeptShop.policy)
            rig.world.cutPower(atCall: call)
            var shop = try? KeptShop(rig)
            try? shop?.work()
            let world = rig.world.afterPowerCut { survives }
            let next = try KeptShop(StorageRig(world: world, policy: KeptShop.policy))
            let expected = whole.states[next.queue.head]
            for (number, status) in expected ?? [:] {
                #expect(try next.status(of: number) == status, "\(number) after call \(call)")
            }
            #expect(next.queue.head >= shop?.queue.head ?? 0 || shop?.isBehind == true)
            let report = JournalVerifier.verify(MemoryDisk(world: world), isDeep: true)
            #expect(report.findings.allSatisfy { $0.severity <= .torn }, "call \(call)")
        }
    }

    @Test("of a store that had all closed things in its snapshots moves them as well")
    func migrates() throws {
        var old = try KeptShop(StorageRig(policy: KeptShop.policy))
        for number in UInt64(1)...6 { try old.add(number) }
        for number in UInt64(1)...4 { try old.withdraw(number) }
        let ticket = try #require(try old.journal.log.beginSnapshot())
        let queue = old.queue
        let receipt = try LocalLog.writeSnapshot(ticket) { body in
            queue.snapshotItems { body($0.asVersionTwo) }
        }
        _ = try old.journal.log.snapshotWasWritten(receipt)
        var shop = try KeptShop(
            StorageRig(world: old.rig.world.afterKill(), policy: KeptShop.policy))
        #expect(shop.journal.hasOldSnapshot)
        #expect(shop.queue.transaction(KeptShop.id(1)) != nil)
        let before = try (1...6).map { try shop.status(of: $0) }
        try shop.checkpoint()
        #expect(!shop.journal.hasOldSnapshot)
        #expect(shop.queue.transaction(KeptShop.id(1)) == nil)
        #expect(try (1...6).map { try shop.status(of: $0) } == before)
    }

    @Test("counts the bytes of each user, over a start, until retention drops the file")
    func bytesByUser() throws {
        var shop = try KeptShop(StorageRig(policy: KeptShop.policy))
        for number in UInt64(1)...6 { try shop.add(number, of: number < 5 ? 1000 : 1001) }
        let open = shop.queue.share(of: .diskBytes)?.held ?? [:]
        #expect(open[1000] == 2 * (open[1001] ?? 0))
        for number in UInt64(1)...6 { try shop.withdraw(number) }
        try shop.checkpoint()
        let bytes = shop.history.bytesByUser
        #expect(bytes[1000] ?? 0 > 4 * 300 && bytes[1001] ?? 0 > 2 * 300 && bytes.count == 2)
        let all = shop.history.manifest.archives.reduce(0) { $0 + $1.bytes }
        #expect(bytes.values.reduce(0, +) < all)
        // Small files are merged: nothing is lost or counted twice.
        try shop.add(7, of: 1000)
        try shop.withdraw(7)
        try shop.checkpoint()
        let merged = shop.history.bytesByUser
        #expect(merged[1001] == bytes[1001] && merged[1000] ?? 0 > bytes[1000] ?? 0)
        var again = try KeptShop(
            StorageRig(world: shop.rig.world.afterKill(), policy: KeptShop.policy))
        #expect(again.history.bytesByUser == merged)
        try again.forget()
        try again.checkpoint()
        #expect(again.history.bytesByUser == [:])
    }

    @Test(
        "leaves a damaged file of closed things as it is and names it, with its index and without",
        arguments: [true, false])
    func damagedFile(hasIndex: Bool) throws {
        var shop = try KeptShop(StorageRig(policy: KeptShop.policy))
        for number in UInt64(1)...3 { try shop.add(number) }
        for number in UInt64(1)...2 { try shop.withdraw(number) }
        try shop.checkpoint()
        let file = try #require(shop.history.manifest.archives.first)
        #expect(shop.history.manifest.archives.count == 1)
        let world = shop.rig.world.afterKill()
        let bytes = try #require(world.files[file.name])
        let place = try #require(bytes.firstRange(of: Array("key 2".utf8))?.lowerBound)
        world.put(file.name, bytes[..<place] + [UInt8(ascii: "X")] + bytes[(place + 1)...])
        if !hasIndex { world.drop(try #require(world.files.keys.first { $0.hasSuffix(".index") })) }

        var again = try KeptShop(StorageRig(world: world, policy: KeptShop.policy))
        #expect(!again.history.needsIndex)
        #expect(again.history.isIndexed == hasIndex)
        try again.withdraw(3)
        try again.checkpoint()
        try again.checkpoint()
        let names = again.rig.world.files.keys
        #expect(again.history.manifest.archives.first == file)
        #expect(again.history.manifest.archives.count == 2)
        #expect(again.history.damage.map(\.file) == [file.name])
        #expect(!names.contains { $0.hasSuffix(".tmp") })
        #expect(!again.history.needsIndex)
        // A key that the file may have is not unknown; with the index the others are found.
        for (key, isFound) in [("key 1", hasIndex), ("key 2", false), ("key 3", hasIndex)] {
            do throws(ClosedHistoryFailure) {
                let entry = try again.history.find(.key(OpaqueText(key)))
                #expect(isFound && entry != nil, "\(key)")
            } catch {
                #expect(!isFound && error.isDamage, "\(key): \(error)")
            }
        }
        // Retention keeps the file, and checkpoints continue.
        try again.forget()
        try again.add(4)
        try again.withdraw(4)
        try again.checkpoint()
        #expect(again.history.manifest.archives.first == file)
        #expect(again.queue.transaction(KeptShop.id(4)) == nil)
    }

    @Test("drops the forgotten files before a damaged one, and keeps that and those behind it")
    func damagedForgottenFile() throws {
        var shop = try KeptShop(StorageRig(policy: KeptShop.policy))
        for round in UInt64(0)..<4 {
            for number in 1...UInt64(6) { try shop.buy(10 * round + number) }
            try shop.checkpoint()
        }
        let files = shop.history.manifest.archives
        #expect(files.count > 2)
        let world = shop.rig.world.afterKill()
        let bytes = try #require(world.files[files[1].name])
        let place = try #require(bytes.firstRange(of: Array("key ".utf8))?.lowerBound)
        world.put(files[1].name, bytes[..<place] + [UInt8(ascii: "X")] + bytes[(place + 1)...])

        var again = try KeptShop(StorageRig(world: world, policy: KeptShop.policy))
        try again.forget()
        try again.checkpoint()
        #expect(again.history.manifest.archives == Array(files[1...]))
        #expect(again.history.manifest.ledgers.count == 1)
        #expect(again.history.damage.map(\.file) == [files[1].name])
        #expect(!again.rig.world.files.keys.contains { $0.hasSuffix(".tmp") })
    }

    @Test(
        "keeps forgotten files while there is no room for their orders, and is written all the same"
    )
    func noRoomToForget() throws {
        var shop = try KeptShop(StorageRig(policy: KeptShop.policy))
        for number in UInt64(1)...6 { try shop.buy(number) }
        try shop.checkpoint()
        let files = shop.history.manifest.archives
        try shop.forget()
        try shop.buy(7)
        shop.rig.world.inject(
            MemoryDiskFault(.write, isLasting: true, namePrefix: "ledger", .fail(errno: 28)))
        try shop.checkpoint()
        #expect(shop.history.manifest.archives.starts(with: files))
        #expect(shop.history.manifest.ledgers.isEmpty)
        #expect(try shop.status(of: 7) == .closed)
        #expect(shop.queue.transaction(KeptShop.id(7)) == nil)
        shop.rig.world.removeFaults()
        try shop.buy(8)
        try shop.checkpoint()
        #expect(!shop.history.manifest.archives.contains(files[0]))
        #expect(shop.history.manifest.ledgers.count == 1)
        // With any other failure the checkpoint fails.
        for number in UInt64(9)...14 { try shop.buy(number) }
        try shop.checkpoint()
        try shop.forget()
        try shop.buy(15)
        shop.rig.world.inject(
            MemoryDiskFault(.write, isLasting: true, namePrefix: "ledger", .fail(errno: 5)))
        #expect(throws: SnapshotFailure.self) { try shop.checkpoint() }
    }

    @Test("A missing archive refuses the start; a missing index is built again")
    func missing() throws {
        var shop = try KeptShop(StorageRig(policy: KeptShop.policy))
        try shop.work()
        let files = shop.rig.world.files.keys
        let index = try #require(files.first { $0.hasSuffix(".index") })
        let world = shop.rig.world.afterKill()
        world.drop(index)
        let directory = try StorageRig(world: world, policy: KeptShop.policy).open()
        #expect(directory.journal.openedHistory.needsIndex)
        #expect(throws: ClosedHistoryFailure.self) {
            try directory.journal.openedHistory.find(.key("key 1"))
        }
        let again = try KeptShop(StorageRig(world: world.afterKill(), policy: KeptShop.policy))
        #expect(try again.status(of: 1) == .closed)
        let archive = try #require(
            files.first { $0.hasPrefix("archive-") && $0.hasSuffix(".ndjson") })
        let other = shop.rig.world.afterKill()
        other.drop(archive)
        let refusal = try #require(try StorageRig(world: other, policy: KeptShop.policy).refusal())
        #expect(refusal.reason == .missingHistory && refusal.file == archive)
        #expect(JournalVerifier.verify(MemoryDisk(world: other)).exitCode == 1)
    }

    @Test("The archive files of a snapshot whose header is damaged stay")
    func unreadableSnapshot() throws {
        // Each checkpoint writes all closed things again, so each snapshot has files of its own.
        var policy = KeptShop.policy
        policy.archives.mergeBelowBytes = 1 << 20
        var shop = try KeptShop(StorageRig(policy: policy))
        try shop.work()
        let world = shop.rig.world
        let oldest = try #require(world.files.keys.sorted().first { $0.hasPrefix("snapshot-") })
        var bytes = try #require(world.files[oldest])
        bytes[2] ^= 1
        world.put(oldest, bytes)
        let before = world.files.keys.sorted()
        #expect(throws: ArchiveFailure.self) {
            try LocalLog.removeOldArchives(shop.history, by: shop.journal.archiveBuilder)
        }
        #expect(world.files.keys.sorted() == before)
        world.drop(oldest)
        try LocalLog.removeOldArchives(shop.history, by: shop.journal.archiveBuilder)
        #expect(world.files.count < before.count - 1)
    }

    @Test("A changed byte of an archive is found by a deep verification")
    func damage() throws {
        var shop = try KeptShop(StorageRig(policy: KeptShop.policy))
        try shop.work()
        let world = shop.rig.world.afterKill()
        let archive = try #require(
            world.files.keys.sorted().first { $0.hasPrefix("archive-") && $0.hasSuffix(".ndjson") })
        var bytes = try #require(world.files[archive])
        bytes[bytes.count / 2] ^= 1
        world.put(archive, bytes)
        #expect(JournalVerifier.verify(MemoryDisk(world: world)).exitCode == 0)
        #expect(JournalVerifier.verify(MemoryDisk(world: world), isDeep: true).exitCode == 1)
    }

    @Test("A backup and the store that is restored from it have the closed things")
    func backup() throws {
        var shop = try KeptShop(StorageRig(policy: KeptShop.policy))
        try shop.work()
        let report = try BackupWriter.write(try shop.journal.log.beginBackup(), at: Samples.time)
        shop.journal.log.endBackup()
        var source: any Disk = MemoryDisk(world: shop.rig.world)
        for name in report.path.split(separator: "/") {
            source = try source.directory(String(name), create: false)
        }
        let rig = StorageRig(policy: KeptShop.policy)
        let directory = try rig.stateDirectory()
        _ = try BackupInstaller.install(
            source, into: directory, settingAside: false, environment: rig.environment)
        let restored = try KeptShop(
            StorageRig(world: rig.world.afterKill(), policy: KeptShop.policy))
        for number in UInt64(1)...12 {
            #expect(try restored.status(of: number) == shop.status(of: number), "\(number)")
        }
    }

    @Test("A repaired store has the closed things")
    func repair() throws {
        var shop = try KeptShop(StorageRig(policy: KeptShop.policy))
        try shop.work()
        let target = MemoryDiskWorld()
        let survey = try JournalRepair.survey(MemoryDisk(world: shop.rig.world))
        try JournalRepair.repair(
            MemoryDisk(world: shop.rig.world), into: MemoryDisk(world: target),
            acceptedLoss: survey.lost)
        let repaired = try KeptShop(StorageRig(world: target, policy: KeptShop.policy))
        for number in UInt64(1)...12 {
            #expect(try repaired.status(of: number) == shop.status(of: number), "\(number)")
        }
    }
}
