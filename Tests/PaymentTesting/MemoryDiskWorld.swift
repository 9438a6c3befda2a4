public import PaymentStorage
internal import Synchronization

/// A simulated file system: its files and directories, its faults, and its power.
public final class MemoryDiskWorld: Sendable {
    static let top = 0

    private let state: Mutex<MemoryDiskState>

    /// An empty file system with as much room as is said.
    ///
    /// - Parameters:
    ///   - freeBytes: The room.
    ///   - kind: What kind of file system it passes for.
    public init(freeBytes: Int = 1 << 40, kind: DiskSpace.Kind = .durable) {
        state = Mutex(MemoryDiskState(freeBytes: freeBytes, kind: kind))
    }

    /// A file system with this content, all of it on the disk.
    public init(_ image: DiskImage) {
        state = Mutex(MemoryDiskState(image, freeBytes: 1 << 40, kind: .durable))
    }

    /// The process that holds the locks of all files, according to the system; nil if it names none.
    public var lockHolder: Int32? {
        get { look { $0.lockHolder } }
        set { look { $0.lockHolder = newValue } }
    }

    /// The content as readers see it.
    public var image: DiskImage { look { $0.image } }

    /// Records every operation that changes the disk from now on.
    public func beginRecording() {
        look { $0.operations = [] }
    }

    /// How many operations were recorded.
    public var operationCount: Int { look { $0.operations?.count ?? 0 } }

    /// The recorded operations.
    public var operations: [DiskOperation] { look { $0.operations ?? [] } }

    private init(_ state: MemoryDiskState) {
        self.state = Mutex(state)
    }

    /// How many calls were made that can fail.
    public var callCount: Int { look { $0.callCount } }

    /// How many calls of a kind were made.
    public func calls(_ call: MemoryDiskFault.Call) -> Int { look { $0.counts[call] ?? 0 } }

    /// Has something go wrong from now on; calls are counted from now.
    public func inject(_ fault: MemoryDiskFault) {
        look { $0.faults.append(MemoryDiskState.Armed(fault: fault)) }
    }

    /// Everything works again.
    public func removeFaults() {
        look { $0.faults = [] }
    }

    /// Has the power fail at a call: that call and all later ones fail and do nothing.
    ///
    /// - Parameter number: The number of the call, counted from the beginning; see ``callCount``.
    public func cutPower(atCall number: Int) {
        look { $0.powerCutAt = number }
    }

    /// Changes the room that is left.
    public func setFreeBytes(_ bytes: Int) {
        look { $0.freeBytes = bytes }
    }

    /// Changes the greatest length of a file.
    public func setLongestFile(_ bytes: Int) {
        look { $0.longestFile = bytes }
    }

    /// Changes who owns the directories and who may write to them.
    public func setOwner(_ owner: UInt32, permissions: UInt32) {
        look {
            $0.owner = owner
            $0.permissions = permissions
        }
    }

    /// The file system as the next boot finds it, if the power is cut now.
    ///
    /// - Parameter survives: Asked about each change that was not synced, in a fixed order,
    ///   whether it had reached the disk.
    /// - Returns: A file system of its own.
    public func afterPowerCut(survives: () -> Bool) -> MemoryDiskWorld {
        MemoryDiskWorld(look { $0.afterPowerCut(survives) })
    }

    /// The number of changes that a power cut now would ask about.
    public var unsyncedChanges: Int {
        var count = 0
        _ = look {
            $0.afterPowerCut {
                count += 1
                return true
            }
        }
        return count
    }

    /// The file system as the next process finds it after this one was killed: nothing is lost
    /// but the locks.
    public func afterKill() -> MemoryDiskWorld {
        MemoryDiskWorld(look { $0.afterKill() })
    }

    /// The bytes of every file by its path, as readers see them.
    public var files: [String: [UInt8]] { look { $0.files(Self.top, prefix: "") } }

    /// Replaces a file of the top directory, also on the disk itself.
    public func put(_ name: String, _ bytes: [UInt8]) {
        look { state in
            let node = state.makeNode()
            state.nodes[node] = MemoryNode(stable: bytes)
            state.directories[Self.top]?.set(name, node)
        }
    }

    /// Removes a file of the top directory, also on the disk itself.
    public func drop(_ name: String) {
        look { $0.directories[Self.top]?.drop(name) }
    }

    func look<Result>(_ body: (inout MemoryDiskState) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    /// Whether the power was cut: every call fails.
    public var isOff: Bool { look { $0.isPowerOff } }

    /// Counts a call, lets it fail if it has to, and else does it.
    func call<Result>(
        _ call: MemoryDiskFault.Call, _ operation: DiskFailure.Operation, _ name: String,
        _ body: (inout MemoryDiskState) throws(DiskFailure) -> Result
    ) throws(DiskFailure) -> Result where Result: Sendable {
        try state.withLock { state throws(DiskFailure) in
            switch state.effect(of: call, on: name) {
            case .fail(let errno): throw DiskFailure(operation, name, errno: errno)
            case .ignore where call == .sync || call == .syncData || call == .syncDirectory:
                // The result of a sync is nothing, which is all that a lie can return.
                if let nothing = () as? Result { return nothing }
                return try body(&state)
            case nil, .short, .ignore, .corrupt: return try body(&state)
            }
        }
    }

    /// Looks at something, unless that has to fail. A cut of the power does not count it.
    func examine<Result>(
        _ name: String, _ call: MemoryDiskFault.Call = .examine,
        _ operation: DiskFailure.Operation = .examine, _ body: (inout MemoryDiskState) -> Result
    ) throws(DiskFailure) -> Result where Result: Sendable {
        try state.withLock { state throws(DiskFailure) in
            if case .fail(let errno) = state.fault(of: call, on: name) {
                throw DiskFailure(operation, name, errno: errno)
            }
            return body(&state)
        }
    }

    /// How many bytes a write at an offset may take.
    func writable(
        _ name: String, _ count: Int, growingBy growth: (MemoryDiskState) -> Int, at offset: Int
    ) throws(DiskFailure) -> Int {
        try state.withLock { state throws(DiskFailure) in
            let beyond = max(0, offset + count - state.longestFile)
            let missing = max(0, growth(state) - beyond) - state.freeBytes
            switch state.effect(of: .write, on: name) {
            case .fail(let errno): throw DiskFailure(.write, name, errno: errno)
            case .short(let bytes): return max(1, min(count, bytes))
            case .corrupt: state.nextWrite = .corrupt
            case .ignore: state.nextWrite = .lost
            case nil: break
            }
            guard offset < state.longestFile else { throw DiskFailure(.write, name, errno: 27) }
            let count = count - beyond
            guard missing > 0 else { return count }
            guard missing < count else { throw DiskFailure(.write, name, errno: 28) }
            return count - missing
        }
    }
}
