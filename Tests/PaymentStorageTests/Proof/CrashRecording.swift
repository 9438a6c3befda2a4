import PaymentCore
import PaymentStorage
import PaymentTesting

/// The operations of some lives of a state directory, with what was promised at each of them.
struct CrashRecording {
    /// A life, from an operation on.
    struct Part {
        var firstOperation: Int
        var ledger: ShopLedger
    }

    /// A defect that is planted, to prove that it is found.
    enum Defect: String, CaseIterable, Sendable {
        /// A commit is acknowledged without its sync.
        case lostCommitSync
        /// A file gets its name without its sync.
        case lostFileSync
        /// A name is relied on without the sync of its directory.
        case lostDirectorySync
        /// A file gets its name before its sync.
        case renameBeforeSync
    }

    let base: DiskImage
    private(set) var operations: [DiskOperation]
    private(set) var parts: [Part]

    /// Runs a script. A loss of power ends a recording, and the next begins with what was left.
    ///
    /// - Parameters:
    ///   - script: The lives.
    ///   - seed: Says at which call a process dies, and what survives.
    ///   - defect: A planted defect.
    /// - Returns: The recordings.
    /// - Throws: A start failed that must not.
    static func record(
        _ script: ShopScript, seed: UInt64, defect: Defect? = nil
    ) throws -> [CrashRecording] {
        var dice = SeededGenerator(seed: seed ^ 0xC4A5)
        var world = MemoryDiskWorld()
        var ledger = ShopLedger()
        var recordings: [CrashRecording] = []
        var parts: [Part] = []
        var base = world.image
        world.beginRecording()
        for life in script.lives {
            let first = world.operationCount
            if let fault = defect?.fault { world.inject(fault) }
            if life.end != .stop, dice.chance(70) {
                world.cutPower(atCall: world.callCount + 1 + dice.below(250))
            }
            try live(life, on: world, &ledger)
            parts.append(Part(firstOperation: first, ledger: ledger))
            if life.end == .powerCut {
                recordings.append(
                    CrashRecording(base: base, world.operations, parts, defect))
                base = world.afterPowerCut { dice.chance(50) }.image
                world = MemoryDiskWorld(base)
                world.beginRecording()
                ledger.beginRecording()
                parts = []
            } else {
                world = world.afterKill()
            }
        }
        if !parts.isEmpty {
            recordings.append(CrashRecording(base: base, world.operations, parts, defect))
        }
        return recordings
    }

    private init(
        base: DiskImage, _ operations: [DiskOperation], _ parts: [Part], _ defect: Defect?
    ) {
        self.base = base
        self.operations = operations
        self.parts = parts
        if defect == .renameBeforeSync { moveNamesBeforeSyncs() }
    }

    /// Every failure but that of a start is the power's.
    private static func live(
        _ life: ShopScript.Life, on world: MemoryDiskWorld, _ ledger: inout ShopLedger
    ) throws {
        var shop: Shop
        do {
            shop = try Shop(on: world)
        } catch {
            guard world.isOff else { throw error }
            return
        }
        ledger.continueFrom(shop.queue.head, after: world.operationCount)
        try? shop.begin(&ledger)
        for step in life.steps {
            do { try shop.run(step, &ledger) } catch { return }
        }
    }

    /// Has each new name of a file come before the sync that precedes it.
    private mutating func moveNamesBeforeSyncs() {
        for index in operations.indices.dropFirst() {
            guard case .change(_, let changes) = operations[index], changes.count == 2,
                case .syncFile = operations[index - 1]
            else { continue }
            operations.swapAt(index - 1, index)
        }
    }
}

extension CrashRecording.Defect {
    /// The fault of the disk that stands for it.
    fileprivate var fault: MemoryDiskFault? {
        switch self {
        case .lostCommitSync: MemoryDiskFault(.syncData, isLasting: true, .ignore)
        case .lostFileSync: MemoryDiskFault(.sync, isLasting: true, .ignore)
        case .lostDirectorySync: MemoryDiskFault(.syncDirectory, isLasting: true, .ignore)
        case .renameBeforeSync: nil
        }
    }
}
