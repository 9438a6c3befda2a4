internal import CSystemd
internal import Glibc
internal import Synchronization

/// A file in memory only, mapped into this process.
///
/// The bytes live as long as any copy of the descriptor. In the service manager's store they
/// outlive this process, however it ends. They are valid only while ``isSettled``. A process that
/// dies during a change leaves an unsettled file.
///
/// This class is not thread-safe.
public final class MemoryFile {
    /// The descriptor of the file. This object owns and closes it; the bytes live as long as any
    /// copy of the descriptor.
    public let descriptor: Int32
    private var base: UnsafeMutableRawPointer
    private var size: Int

    private static let headerBytes = 16
    private static let firstBytes = 4096
    /// The size in bytes above which a file shrinks with its content.
    private static let lavishBytes = 64 << 10
    /// The largest file that is accepted or created, in bytes.
    private static let limitBytes = 64 << 20

    /// The values of the first eight bytes; in a new file they are zero.
    private enum Mark {
        static let changing: UInt64 = 0
        static let settled: UInt64 = 1
    }

    /// Creates an empty, unsettled file; nil if the system has no memory for it.
    ///
    /// - Parameter name: The name in listings of open files.
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

    /// Takes over the file of an earlier process. Nil if it is not such a file; the caller then
    /// still owns the descriptor.
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

    /// True if the content is complete. False from ``beginChange()`` until the next
    /// ``settle(head:rest:)``.
    public var isSettled: Bool {
        base.load(as: UInt64.self) == Mark.settled
    }

    /// The content; nil unless it is complete.
    public var content: [UInt8]? {
        let count = base.load(fromByteOffset: 8, as: UInt64.self)
        guard isSettled, count <= UInt64(size - Self.headerBytes) else { return nil }
        return Array(
            UnsafeRawBufferPointer(start: base + Self.headerBytes, count: Int(count)))
    }

    /// Marks the content as outdated, before its subject changes. The call costs one memory store.
    public func beginChange() {
        base.storeBytes(of: Mark.changing, as: UInt64.self)
        // The fence prevents other processes from seeing the change while the mark is still
        // `settled`.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// Writes the content and marks it as complete.
    ///
    /// - Parameters:
    ///   - head: The first bytes of the content.
    ///   - rest: The bytes after the head. Nil if they and the length of the head are unchanged.
    /// - Returns: False if the system has no memory; the file is then not settled.
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

    /// Grows the file if needed, or shrinks it if most of it is unused.
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
