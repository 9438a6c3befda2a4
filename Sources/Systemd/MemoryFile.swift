internal import CSystemd
internal import Glibc
internal import Synchronization

/// A file that exists in memory only, mapped into this process.
///
/// The holder of its descriptor holds its bytes: stored with the service manager, they outlive this
/// process, however it ends. The bytes are valid only while ``isSettled``; a process that dies in the
/// middle of a change leaves a file that says so.
///
/// Not to be used from two threads at a time.
public final class MemoryFile {
    /// The file. It stays this object's, which closes it in the end; the bytes live as long as any
    /// copy of it.
    public let descriptor: Int32
    private var base: UnsafeMutableRawPointer
    private var size: Int

    private static let headerBytes = 16
    private static let firstBytes = 4096
    /// A file of more bytes shrinks when its content does.
    private static let lavishBytes = 64 << 10
    /// Most bytes of content that are believed of a file from elsewhere.
    private static let limitBytes = 64 << 20

    /// The words that the first eight bytes can have; a new file has zeros there.
    private enum Mark {
        static let changing: UInt64 = 0
        static let settled: UInt64 = 1
    }

    /// Makes an empty file that is not settled; nil if the system has no room for it.
    ///
    /// - Parameter name: What people see of it in a list of open files.
    public init?(name: String) {
        let closeOnExec: UInt32 = 1
        let descriptor = memfd_create(name, closeOnExec)
        guard descriptor >= 0 else { return nil }
        guard ftruncate(descriptor, off_t(Self.firstBytes)) == 0,
            let base = Self.map(descriptor, Self.firstBytes)
        else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.base = base
        size = Self.firstBytes
    }

    /// Takes over a file that an earlier process made; nil if it is none, and then the descriptor
    /// is still the caller's.
    public init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size >= Self.headerBytes, status.st_size <= Self.limitBytes,
            let base = Self.map(descriptor, Int(status.st_size))
        else { return nil }
        self.descriptor = descriptor
        self.base = base
        size = Int(status.st_size)
    }

    deinit {
        munmap(base, size)
        close(descriptor)
    }

    /// Whether the content is whole. False from the moment that ``beginChange()`` is called until the
    /// next ``settle(head:rest:)``.
    public var isSettled: Bool {
        base.load(as: UInt64.self) == Mark.settled
    }

    /// The content, if it is whole.
    public var content: [UInt8]? {
        let count = base.load(fromByteOffset: 8, as: UInt64.self)
        guard isSettled, count <= UInt64(size - Self.headerBytes) else { return nil }
        return Array(
            UnsafeRawBufferPointer(start: base + Self.headerBytes, count: Int(count)))
    }

    /// Says that what the content describes is about to change. Costs one store to memory.
    public func beginChange() {
        base.storeBytes(of: Mark.changing, as: UInt64.self)
        // What the change does must not be seen by others while the mark still says settled.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// Puts the content down and says that it is whole.
    ///
    /// - Parameters:
    ///   - head: The first bytes of the content.
    ///   - rest: The bytes behind them; nil if they, and the number of bytes in the head, are those of
    ///     the last time.
    /// - Returns: False if there is no room; the file is not settled then.
    @discardableResult
    public func settle(head: [UInt8], rest: [UInt8]?) -> Bool {
        beginChange()
        let count = rest.map { head.count + $0.count }
        if let count, !resize(to: Self.headerBytes + count) { return false }
        let start = base + Self.headerBytes
        head.withUnsafeBytes { start.copyMemory(from: $0) }
        if let rest, let count {
            rest.withUnsafeBytes { (start + head.count).copyMemory(from: $0) }
            base.storeBytes(of: UInt64(count), toByteOffset: 8, as: UInt64.self)
        }
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        base.storeBytes(of: Mark.settled, as: UInt64.self)
        return true
    }

    /// Makes room, or gives much of it back.
    private func resize(to wanted: Int) -> Bool {
        let isLavish = size > Self.lavishBytes && wanted <= Self.firstBytes
        guard wanted > size || isLavish else { return true }
        let room = (wanted + Self.firstBytes - 1) / Self.firstBytes * Self.firstBytes
        guard room <= Self.limitBytes, ftruncate(descriptor, off_t(room)) == 0,
            let other = Self.map(descriptor, room)
        else { return false }
        munmap(base, size)
        base = other
        size = room
        return true
    }

    private static func map(_ descriptor: Int32, _ count: Int) -> UnsafeMutableRawPointer? {
        let address = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        return address == MAP_FAILED ? nil : address
    }
}

extension UnsafeMutableRawPointer {
    fileprivate func copyMemory(from bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        copyMemory(from: start, byteCount: bytes.count)
    }
}
