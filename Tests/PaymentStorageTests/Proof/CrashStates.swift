import PaymentCore
import PaymentStorage
import PaymentTesting

/// Rebuilds the disks that losses of power can leave at every operation of a recording, and judges each by
/// a start.
struct CrashStates {
    /// What was seen.
    struct Tally {
        /// Different disks at one operation, summed over all operations.
        var states = 0
        /// Different disks of a whole recording: each was judged by a start.
        var starts = 0
        /// Operations.
        var operations = 0
        /// How many states each model contributed that no model before it had at the same operation.
        var models: [CrashModel: Int] = [:]
        var violations: [String] = []

        static func += (left: inout Tally, right: Tally) {
            left.states += right.states
            left.starts += right.starts
            left.operations += right.operations
            left.models.merge(right.models, uniquingKeysWith: +)
            left.violations += right.violations
        }
    }

    /// What a start made of a disk.
    private struct Verdict {
        var head: SequenceNumber
        var fault: String?
        /// The backups that verify.
        var backups: Set<String> = []
    }

    /// Only these ways are tried.
    var models = CrashModel.allCases
    /// Whether the first violation ends the run.
    var stopsEarly = false

    /// One of so many disks is also worked on, stopped and started again.
    private static let deepEvery: UInt64 = 16

    /// Judges every state of a recording.
    func run(_ recording: CrashRecording, seed: UInt64) -> Tally {
        var tally = Tally()
        var known: [UInt64: Verdict] = [:]
        var part = 0
        Self.eachImage(of: recording.operations, on: recording.base, models, seed: seed) {
            index, model, image in
            while part + 1 < recording.parts.count,
                recording.parts[part + 1].firstOperation <= index
            {
                part += 1
                known.removeAll(keepingCapacity: true)
            }
            let ledger = recording.parts[part].ledger
            tally.states += 1
            tally.models[model, default: 0] += 1
            let verdict = known[image.hash] ?? judge(image, ledger, &tally)
            known[image.hash] = verdict
            if let fault = fault(verdict, ledger, at: index) {
                tally.violations.append("seed \(seed), operation \(index), \(model): \(fault)")
            }
            return !stopsEarly || tally.violations.isEmpty
        }
        tally.operations = recording.operations.count
        return tally
    }

    /// Gives `body` each disk that a loss of power can leave before each operation and after the last, with the
    /// number of operations before. Disks that are equal at one operation are given once. The last operation is the
    /// first at which `body` returns false.
    static func eachImage(
        of operations: [DiskOperation], on base: DiskImage,
        _ models: [CrashModel] = CrashModel.allCases, seed: UInt64,
        _ body: (_ index: Int, _ model: CrashModel, _ image: CrashImage) -> Bool
    ) {
        var disk = CrashDisk(base)
        for index in 0...operations.count {
            var here: Set<UInt64> = []
            var goesOn = true
            for (number, model) in models.enumerated() {
                let draw = (seed << 20 ^ UInt64(index)) &* 8 &+ UInt64(number)
                model.images(of: disk, seed: draw) { image in
                    guard here.insert(image.hash).inserted else { return }
                    if !body(index, model, image) { goesOn = false }
                }
            }
            guard goesOn else { return }
            if index < operations.count { disk.perform(operations[index]) }
        }
    }

    private func fault(_ verdict: Verdict, _ ledger: ShopLedger, at index: Int) -> String? {
        if let fault = verdict.fault { return fault }
        let promise = ledger.promise(at: index)
        guard verdict.head >= promise.acknowledged else {
            return "\(promise.acknowledged) was acknowledged, \(verdict.head) is left"
        }
        guard verdict.head <= promise.attempted else { return "\(verdict.head) was never written" }
        let missing = ledger.backups(at: index).subtracting(verdict.backups)
        return missing.first.map { "the backup \($0) is gone" }
    }

    private func judge(_ image: CrashImage, _ ledger: ShopLedger, _ tally: inout Tally) -> Verdict {
        tally.starts += 1
        do {
            let world = MemoryDiskWorld(image.disk)
            let isDeep = image.hash % Self.deepEvery == 0
            let backups = Set(try Self.wholeBackups(on: MemoryDisk(world: world)))
            let shop = try Shop(on: world)
            let head = shop.queue.head
            var fault = ledger.contentFault(in: shop)
            if fault == nil, isDeep { fault = try deepFault(shop, world, ledger) }
            return Verdict(head: head, fault: fault, backups: backups)
        } catch {
            return Verdict(head: 0, fault: "\(error)")
        }
    }

    /// The paths of the backups on a disk, whose journal is in a folder or in the directory of the backup.
    ///
    /// - Throws: One of them looks whole and is not.
    static func wholeBackups(on disk: any Disk, of folder: String? = nil) throws -> [String] {
        guard try disk.status(of: "backups") != nil else { return [] }
        let directory = try disk.directory("backups", create: false)
        var whole: [String] = []
        for name in try directory.list() {
            let backup = try directory.directory(name, create: false)
            if let folder, try backup.status(of: folder) == nil { continue }
            let journal = try folder.map { try backup.directory($0, create: false) } ?? backup
            // The file is written last, so without it a directory is no backup.
            guard try journal.status(of: "format.json") != nil else { continue }
            let report = JournalVerifier.verify(journal, isDeep: true)
            guard report.findings.isEmpty else {
                throw BackupFailure("the backup '\(name)' is damaged: \(report.findings)")
            }
            whole.append("backups/\(name)")
        }
        return whole
    }

    /// What is wrong with work behind a start, a clean stop and the next start; nil if nothing is.
    private func deepFault(
        _ shop: consuming Shop, _ world: MemoryDiskWorld, _ ledger: ShopLedger
    ) throws -> String? {
        var ledger = ledger
        ledger.continueFrom(shop.queue.head, after: 0)
        try shop.begin(&ledger)
        try shop.run(.add(1), &ledger)
        try shop.run(.checkpoint, &ledger)
        try shop.run(.close, &ledger)
        if let failure = shop.failures.first { throw failure }
        let next = world.afterKill()
        let report = JournalVerifier.verify(MemoryDisk(world: next), isDeep: true)
        guard report.exitCode == 0 else { return "a verification finds \(report.findings)" }
        return ledger.fault(in: try Shop(on: next))
    }
}
