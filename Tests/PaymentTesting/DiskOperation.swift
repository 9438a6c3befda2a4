/// An operation that changed a simulated disk, as a file system gets it: files and directories by number.
public enum DiskOperation: Sendable {
    /// One change of a directory's entries.
    public enum Change: Sendable {
        /// A name stands for a file or a directory.
        case set(String, Int)
        /// A name stands for this file no longer.
        case clear(String, Int)

        /// Makes the change.
        public func apply(to entries: inout [String: Int]) {
            switch self {
            case .set(let name, let node): entries[name] = node
            case .clear(let name, let node):
                // A later file may have taken the name while this change was not yet on the disk.
                if entries[name] == node { entries[name] = nil }
            }
        }
    }

    /// A file without a name yet.
    case createFile(Int)
    /// A directory without a name yet.
    case createDirectory(Int)
    /// Bytes of a file.
    case write(Int, at: Int, [UInt8])
    /// The length of a file.
    case truncate(Int, to: Int)
    /// Everything of a file is on the disk.
    case syncFile(Int)
    /// Entries of a directory; all of them or none.
    case change(Int, [Change])
    /// All entries of a directory are on the disk.
    case syncDirectory(Int)
}

/// The content of a simulated disk: files and directories by number.
public struct DiskImage: Sendable {
    /// The number of the top directory.
    public static let top = MemoryDiskWorld.top

    /// The bytes of each file.
    public var files: [Int: [UInt8]] = [:]
    /// The entries of each directory.
    public var directories: [Int: [String: Int]] = [top: [:]]
    /// The highest number that was given to a file, a directory or an open file.
    public var lastNumber = 0

    /// An empty disk.
    public init() {}
}
