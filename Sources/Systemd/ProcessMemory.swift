internal import CSystemd
internal import Glibc

/// The memory of this process, and the part of it that others on the machine may see.
public enum ProcessMemory {
    /// Keeps secrets where they are: the kernel writes no core file of this process from now on, and
    /// lets only root attach to it or read its memory and environment. A second call is
    /// harmless; a program that is started from here is on its own.
    ///
    /// - Returns: Whether the kernel agreed.
    @discardableResult
    public static func keepPrivate() -> Bool {
        payqueue_set_dumpable(0) == 0
    }

    /// Has memory for pieces of a MiB and more mapped for each of them and given back to the system when
    /// it is freed. Left to itself the C library keeps such pieces after the first one was freed, in a
    /// heap for each thread, and replies of several MiB that threads work on in turn add up. To be
    /// called before there are threads; a second call is harmless.
    ///
    /// - Returns: Whether the C library agreed.
    @discardableResult
    public static func giveBackLargePieces() -> Bool {
        payqueue_map_pieces_from(1 << 20) == 1
    }

    /// Lets go of the pages of the program and its libraries that are never written: code and constants.
    ///
    /// Finding out which types do what reads over the whole program once, when it starts, and each page
    /// read counts as this process's memory until the memory is needed elsewhere: some twenty MiB. What
    /// is let go stays in the system's cache, and whatever is used again is mapped again without being
    /// read.
    ///
    /// Asks the loader and no file of the system: the code that reads and takes apart a text would
    /// itself be two MiB of what comes back.
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

/// All but which bits of an address name its page.
private let pageMask: UInt = 4095
