public import PaymentStorage

/// A directory of a simulated file system.
///
/// Deterministic: it has a page cache and stable bytes, loses what was not synced at a power cut,
/// and fails when it is told to. See ``MemoryDiskWorld`` for the file system as a whole.
public final class MemoryDisk: Disk {
    /// The file system that the directory is in.
    public let world: MemoryDiskWorld
    private let directory: Int
    private let name: String

    /// The top directory of a new and empty file system.
    public convenience init() {
        self.init(world: MemoryDiskWorld())
    }

    /// The top directory of a file system.
    public init(world: MemoryDiskWorld) {
        self.world = world
        directory = MemoryDiskWorld.top
        name = "."
    }

    private init(world: MemoryDiskWorld, directory: Int, name: String) {
        self.world = world
        self.directory = directory
        self.name = name
    }

    /// Opens a file.
    public func open(_ name: String, _ mode: OpenMode) throws(DiskFailure) -> any DiskFile {
        try world.call(.open, .open, name) { state throws(DiskFailure) in
            let node: Int
            if let existing = state.entries(directory)[name] {
                guard mode != .create else { throw DiskFailure(.open, name, errno: 17) }
                guard state.nodes[existing] != nil else {
                    throw DiskFailure(.open, name, errno: 21)
                }
                node = existing
            } else {
                guard mode == .create || mode == .updateOrCreate else {
                    throw DiskFailure(.open, name, errno: 2)
                }
                guard state.freeBytes > 0 else { throw DiskFailure(.open, name, errno: 28) }
                node = state.makeNode()
                state.note(.createFile(node))
                state.change(directory, [.set(name, node)])
            }
            return MemoryFile(
                world: world, node: node, name: name, number: state.makeNumber())
        }
    }

    /// Opens a directory.
    public func directory(_ name: String, create: Bool) throws(DiskFailure) -> any Disk {
        let index = try world.call(.open, .open, name) { state throws(DiskFailure) in
            if let existing = state.entries(directory)[name] {
                guard state.directories[existing] != nil else {
                    throw DiskFailure(.open, name, errno: 20)
                }
                return existing
            }
            guard create else { throw DiskFailure(.open, name, errno: 2) }
            let made = state.makeDirectory()
            state.note(.createDirectory(made))
            state.change(directory, [.set(name, made)])
            return made
        }
        return MemoryDisk(world: world, directory: index, name: name)
    }

    /// Gives a file another name.
    public func rename(_ name: String, to newName: String) throws(DiskFailure) {
        try world.call(.rename, .rename, name) { state throws(DiskFailure) in
            guard let node = state.entries(directory)[name] else {
                throw DiskFailure(.rename, name, errno: 2)
            }
            state.change(directory, [.set(newName, node), .clear(name, node)])
        }
    }

    /// Gives a file a second name.
    public func link(
        _ name: String, into target: any Disk, as newName: String
    ) throws(DiskFailure) {
        guard let target = target as? MemoryDisk, target.world === world else {
            throw DiskFailure(.link, name, errno: 18)
        }
        try world.call(.link, .link, name) { state throws(DiskFailure) in
            guard let node = state.entries(directory)[name] else {
                throw DiskFailure(.link, name, errno: 2)
            }
            guard state.entries(target.directory)[newName] == nil else {
                throw DiskFailure(.link, newName, errno: 17)
            }
            state.change(target.directory, [.set(newName, node)])
        }
    }

    /// Takes a name away.
    public func remove(_ name: String) throws(DiskFailure) {
        try world.call(.remove, .remove, name) { state throws(DiskFailure) in
            guard let node = state.entries(directory)[name] else {
                throw DiskFailure(.remove, name, errno: 2)
            }
            guard state.entries(node).isEmpty else {
                throw DiskFailure(.remove, name, errno: 39)
            }
            state.change(directory, [.clear(name, node)])
        }
    }

    /// The names in the directory.
    public func list() throws(DiskFailure) -> [String] {
        try world.call(.list, .list, name) { state throws(DiskFailure) in
            state.entries(directory).keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    /// What is known about a name.
    public func status(of name: String) throws(DiskFailure) -> FileStatus? {
        try world.examine(name) { state in
            guard let index = state.entries(directory)[name] else { return nil }
            guard let node = state.nodes[index] else {
                return FileStatus(kind: .directory, length: 0, permissions: 0o700, owner: 0)
            }
            return FileStatus(
                kind: .regular, length: node.cache.count, permissions: 0o600, owner: 0)
        }
    }

    /// What is known about the directory.
    public func status() throws(DiskFailure) -> FileStatus {
        try world.examine(name) {
            FileStatus(kind: .directory, length: 0, permissions: $0.permissions, owner: $0.owner)
        }
    }

    /// Room and kind.
    public func space() throws(DiskFailure) -> DiskSpace {
        try world.examine(name) {
            DiskSpace(freeBytes: Int64($0.freeBytes), freeFiles: .max, kind: $0.kind)
        }
    }

    /// The greatest length of a file.
    public var longestFile: Int { world.look { $0.longestFile } }

    /// Makes the entries durable.
    public func sync() throws(DiskFailure) {
        try world.call(.syncDirectory, .sync, name) { state throws(DiskFailure) in
            state.syncDirectory(directory)
        }
    }
}

/// An open file of a simulated file system.
final class MemoryFile: DiskFile {
    private let world: MemoryDiskWorld
    private let node: Int
    private let name: String
    private let number: Int

    init(world: MemoryDiskWorld, node: Int, name: String, number: Int) {
        self.world = world
        self.node = node
        self.name = name
        self.number = number
    }

    deinit {
        world.look { state in
            if state.nodes[node]?.lockOwner == number { state.nodes[node]?.lockOwner = nil }
        }
    }

    func read(
        into buffer: inout [UInt8], from index: Int, at offset: Int
    ) throws(DiskFailure) -> Int {
        let room = buffer.count - index
        let bytes = try world.call(.read, .read, name) { state throws(DiskFailure) in
            let cache = state.nodes[node]?.cache ?? []
            guard offset < cache.count else { return ArraySlice<UInt8>() }
            return cache[offset..<min(cache.count, offset + room)]
        }
        buffer.replaceSubrange(index..<index + bytes.count, with: bytes)
        return bytes.count
    }

    func write(_ bytes: Span<UInt8>, at offset: Int) throws(DiskFailure) -> Int {
        let count = try world.writable(
            name, bytes.count,
            growingBy: { state in
                max(0, offset + bytes.count - (state.nodes[node]?.cache.count ?? 0))
            }, at: offset)
        world.look { state in
            let fate = state.nextWrite
            state.nextWrite = .stored
            guard fate != .lost else { return }
            let before = state.nodes[node]?.cache.count ?? 0
            state.nodes[node]?.write(bytes.extracting(first: count), at: offset)
            if fate == .corrupt { state.nodes[node]?.flip(at: offset + count / 2) }
            state.freeBytes -= (state.nodes[node]?.cache.count ?? 0) - before
            if state.operations != nil {
                let cache = state.nodes[node]?.cache ?? []
                state.note(.write(node, at: offset, Array(cache[offset..<offset + count])))
            }
        }
        return count
    }

    func syncData() throws(DiskFailure) {
        try sync(.syncData)
    }

    func sync() throws(DiskFailure) {
        try sync(.sync)
    }

    private func sync(_ call: MemoryDiskFault.Call) throws(DiskFailure) {
        do {
            try world.call(call, .sync, name) { state throws(DiskFailure) in
                state.nodes[node]?.sync()
                state.note(.syncFile(node))
            }
        } catch {
            // Without power nothing was tried, so nothing is forgotten that a cut may still decide.
            world.look { if !$0.isPowerOff { $0.nodes[node]?.failSync() } }
            throw error
        }
    }

    func allocate(upTo length: Int) throws(DiskFailure) {
        try world.call(.allocate, .write, name) { state throws(DiskFailure) in
            let before = state.nodes[node]?.cache.count ?? 0
            guard length > before else { return }
            guard length <= state.longestFile else {
                throw DiskFailure(.write, name, errno: 27)
            }
            guard length - before <= state.freeBytes else {
                throw DiskFailure(.write, name, errno: 28)
            }
            state.nodes[node]?.truncate(to: length)
            state.freeBytes -= length - before
            state.note(.truncate(node, to: length))
        }
    }

    func truncate(to length: Int) throws(DiskFailure) {
        try world.call(.truncate, .truncate, name) { state throws(DiskFailure) in
            let before = state.nodes[node]?.cache.count ?? 0
            state.nodes[node]?.truncate(to: length)
            state.note(.truncate(node, to: length))
            state.freeBytes += before - length
        }
    }

    func length() throws(DiskFailure) -> Int {
        try world.examine(name) { $0.nodes[node]?.cache.count ?? 0 }
    }

    func lockExclusively() throws(DiskFailure) -> Bool {
        try world.examine(name, .lock, .lock) { state in
            guard state.nodes[node]?.lockOwner == nil else { return false }
            state.nodes[node]?.lockOwner = number
            return true
        }
    }

    func unlock() {
        world.look { state in
            if state.nodes[node]?.lockOwner == number { state.nodes[node]?.lockOwner = nil }
        }
    }

    func lockHolder() -> Int32? { world.lockHolder }
}
