/// Small files in a subdirectory of a state directory, each replaced whole. A reader gets the old
/// bytes or the new ones, also after a power cut. Files have mode 0600, the directory 0700.
public struct SmallFiles: Sendable {
    /// The maximum length of a readable file, in bytes.
    public static let limitBytes = 16 << 20

    private let disk: any Disk

    /// Opens the directory, and creates it if it is missing.
    public init(_ name: String, in state: StateDirectory) throws(StorageError) {
        do {
            disk = try state.disk.directory(name, create: true)
            try state.disk.sync()
        } catch {
            throw StorageError(error)
        }
    }

    /// The bytes of a file; nil if it is missing or longer than ``limitBytes``.
    public func read(_ name: String) throws(DiskFailure) -> [UInt8]? {
        guard let status = try disk.status(of: name), status.length <= Self.limitBytes else {
            return nil
        }
        return try disk.open(name, .read).readAll(limit: Self.limitBytes)
    }

    /// Replaces a file durably.
    public func replace(_ name: String, with bytes: [UInt8]) throws(DiskFailure) {
        try disk.replaceFile(name, with: bytes)
    }

    /// Removes a file if it exists.
    public func remove(_ name: String) throws(DiskFailure) {
        try disk.removeIfPresent(name)
        try disk.sync()
    }

    /// The names of the files, sorted, without unfinished ones.
    public func names() throws(DiskFailure) -> [String] {
        try disk.list().filter { !$0.hasSuffix(temporarySuffix) }
    }
}
