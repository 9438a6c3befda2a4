internal import PaymentStorage

/// The inside of a simulated file system.
struct MemoryDiskState: Sendable {
    /// A fault and how many calls it has counted.
    struct Armed: Sendable {
        var fault: MemoryDiskFault
        var seen = 0
    }

    typealias Change = DiskOperation.Change

    /// A directory: what is seen, what is on the disk, and the changes in between. The parts of
    /// one change reach the disk together.
    struct Directory: Sendable {
        var seen: [String: Int] = [:]
        var stable: [String: Int] = [:]
        var pending: [[Change]] = []

        mutating func set(_ name: String, _ node: Int) {
            seen[name] = node
            stable[name] = node
        }

        mutating func drop(_ name: String) {
            seen[name] = nil
            stable[name] = nil
        }
    }

    /// The outcome of a write for its bytes.
    enum NextWrite {
        /// They are stored as they are.
        case stored
        /// They are lost, without a word.
        case lost
        /// One of them is changed.
        case corrupt
    }

    var nodes: [Int: MemoryNode] = [:]
    var directories: [Int: Directory] = [MemoryDiskWorld.top: Directory()]
    var freeBytes: Int
    var longestFile = Int.max
    var kind: DiskSpace.Kind
    var owner: UInt32 = 0
    var permissions: UInt32 = 0o700
    var lockHolder: Int32?
    var faults: [Armed] = []
    var powerCutAt: Int?
    /// The outcome of the next write.
    var nextWrite = NextWrite.stored
    var callCount = 0
    var counts: [MemoryDiskFault.Call: Int] = [:]
    /// What was done, in order; nil unless it is recorded.
    var operations: [DiskOperation]?
    private var lastNumber = 0

    init(freeBytes: Int, kind: DiskSpace.Kind) {
        self.freeBytes = freeBytes
        self.kind = kind
    }

    /// A file system with this content, all of it on the disk.
    init(_ image: DiskImage, freeBytes: Int, kind: DiskSpace.Kind) {
        self.init(freeBytes: freeBytes, kind: kind)
        lastNumber = image.lastNumber
        for (number, bytes) in image.files { nodes[number] = MemoryNode(stable: bytes) }
        for (number, entries) in image.directories {
            directories[number] = Directory(seen: entries, stable: entries)
        }
    }

    /// The content as readers see it.
    var image: DiskImage {
        var image = DiskImage()
        image.lastNumber = lastNumber
        image.files = nodes.mapValues(\.cache)
        image.directories = directories.mapValues(\.seen)
        return image
    }

    /// Records an operation that succeeded.
    mutating func note(_ operation: @autoclosure () -> DiskOperation) {
        if operations != nil { operations?.append(operation()) }
    }

    /// Whether a cut of the power has happened.
    var isPowerOff: Bool { powerCutAt.map { callCount >= $0 } ?? false }

    func entries(_ directory: Int) -> [String: Int] { directories[directory]?.seen ?? [:] }

    mutating func makeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func makeNode() -> Int {
        let number = makeNumber()
        nodes[number] = MemoryNode()
        return number
    }

    mutating func makeDirectory() -> Int {
        let number = makeNumber()
        directories[number] = Directory()
        return number
    }

    mutating func change(_ directory: Int, _ changes: [Change]) {
        var nodesBefore: Set<Int> = Set(directories[directory]?.seen.values.map { $0 } ?? [])
        Self.apply(changes, to: &directories[directory, default: Directory()].seen)
        directories[directory]?.pending.append(changes)
        note(.change(directory, changes))
        nodesBefore.subtract(directories.values.flatMap { $0.seen.values })
        // A file without a name gives its room back; whether somebody has it open is not modelled.
        for node in nodesBefore { freeBytes += nodes[node]?.cache.count ?? 0 }
    }

    mutating func syncDirectory(_ directory: Int) {
        guard let seen = directories[directory]?.seen else { return }
        directories[directory]?.stable = seen
        directories[directory]?.pending = []
        note(.syncDirectory(directory))
    }

    /// Counts a call and says what goes wrong with it.
    mutating func effect(
        of call: MemoryDiskFault.Call, on name: String
    ) -> MemoryDiskFault.Effect? {
        callCount += 1
        if let powerCutAt, callCount >= powerCutAt { return .fail(errno: 5) }
        return fault(of: call, on: name)
    }

    /// Says what goes wrong with a call that a cut of the power does not count.
    mutating func fault(
        of call: MemoryDiskFault.Call, on name: String
    ) -> MemoryDiskFault.Effect? {
        counts[call, default: 0] += 1
        var effect: MemoryDiskFault.Effect?
        for index in faults.indices {
            let fault = faults[index].fault
            guard fault.call == call, name.hasPrefix(fault.namePrefix) else { continue }
            faults[index].seen += 1
            let seen = faults[index].seen
            if seen == fault.number || fault.isLasting && seen > fault.number {
                effect = fault.effect
            }
        }
        return effect
    }

    func afterKill() -> MemoryDiskState {
        var next = self
        next.faults = []
        next.powerCutAt = nil
        next.callCount = 0
        next.counts = [:]
        next.lockHolder = nil
        for node in next.nodes.keys { next.nodes[node]?.lockOwner = nil }
        return next
    }

    func afterPowerCut(_ survives: () -> Bool) -> MemoryDiskState {
        var next = MemoryDiskState(freeBytes: freeBytes, kind: kind)
        next.owner = owner
        next.permissions = permissions
        next.lastNumber = lastNumber
        for (number, directory) in directories.sorted(by: { $0.key < $1.key }) {
            var entries = directory.stable
            for changes in directory.pending where survives() {
                Self.apply(changes, to: &entries)
            }
            next.directories[number] = Directory(seen: entries, stable: entries)
        }
        for (number, node) in nodes.sorted(by: { $0.key < $1.key }) {
            next.nodes[number] = MemoryNode(stable: node.afterPowerCut { _ in survives() })
        }
        return next
    }

    func files(_ directory: Int, prefix: String) -> [String: [UInt8]] {
        var result: [String: [UInt8]] = [:]
        for (name, index) in entries(directory) {
            if let node = nodes[index] {
                result[prefix + name] = node.cache
            } else {
                result.merge(files(index, prefix: "\(prefix)\(name)/")) { first, _ in first }
            }
        }
        return result
    }

    private static func apply(_ changes: [Change], to entries: inout [String: Int]) {
        for change in changes { change.apply(to: &entries) }
    }
}
