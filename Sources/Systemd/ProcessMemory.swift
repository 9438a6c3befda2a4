internal import CSystemd
internal import Glibc

/// The privacy and the footprint of this process's memory.
public enum ProcessMemory {
    /// Protects the secrets in this process's memory. The kernel writes no core file of the process from now
    /// on, and lets only root attach to it or read its memory and environment. A second call is harmless. The
    /// setting does not apply to programs that this process starts.
    ///
    /// - Returns: True if the kernel accepted the setting.
    @discardableResult
    public static func keepPrivate() -> Bool {
        payqueue_set_dumpable(0) == 0
    }

    /// Makes the C library map allocations of 1 MiB and more separately, and unmap them when they
    /// are freed. By default it keeps such memory in a heap per thread, and large replies on
    /// several threads add up. Call it before threads start; it is idempotent.
    ///
    /// - Returns: True if the C library accepted the setting.
    @discardableResult
    public static func giveBackLargePieces() -> Bool {
        payqueue_map_pieces_from(1 << 20) == 1
    }

    /// Gives memory that was freed back to the system. By default the C library keeps it for later, except
    /// at the end of a heap. Threads that allocate meanwhile may wait a few milliseconds.
    public static func releaseFreed() {
        // The result says only whether any memory was released.
        _ = payqueue_release_free_memory()
    }

    /// The memory in RAM that this process does not share with files, in bytes; nil if the kernel does not
    /// report it.
    public static var ownBytes: Int? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = read(file, &text, text.count)
        guard count > 0 else { return nil }
        let fields = text[..<count].split(separator: UInt8(ascii: " "))
        guard fields.count > 2, let resident = Int(String(decoding: fields[1], as: UTF8.self)),
            let shared = Int(String(decoding: fields[2], as: UTF8.self))
        else { return nil }
        return (resident - shared) * Int(pageMask + 1)
    }

    /// Releases the read-only pages of the program and its libraries: code and constants.
    ///
    /// At its start the runtime reads through the whole program once, to look up types. Each page read counts
    /// as memory of this process until another process needs the memory: some 20 MiB. A released page stays in
    /// the system's cache. A page that is used again is mapped again without a read from the disk.
    ///
    /// It uses the loader instead of a file such as `/proc/self/maps`, because the parser of that
    /// file would itself occupy 2 MiB.
    public static func releaseCode() {
        _ = payqueue_each_loaded_object(
            { object, _, _ in
                guard let object = object?.pointee, let headers = object.headers else { return 0 }
                for index in 0..<Int(object.count) {
                    let header = headers[index]
                    guard header.p_type == PT_LOAD, header.p_flags & Elf64_Word(PF_W) == 0 else {
                        continue
                    }
                    let start = UInt(object.address &+ header.p_vaddr)
                    let begin = start & ~pageMask
                    let end = (start &+ UInt(header.p_memsz) &+ pageMask) & ~pageMask
                    madvise(
                        UnsafeMutableRawPointer(bitPattern: begin), Int(end &- begin),
                        MADV_DONTNEED)
                }
                return 0
            }, nil)
    }
}

/// The bits of an address within its page.
private let pageMask: UInt = 4095
