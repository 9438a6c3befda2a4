/// Small files in a directory of their own inside of a state directory, each replaced whole: whoever
/// reads one sees the old bytes or the new ones, also after a power cut. Mode 0600 in mode 0700.
public struct SmallFiles: Sendable {
    /// The longest file that is read, in bytes.
    public static let limitBytes = 16 << 20

    private let disk: any Disk

    /// Opens the directory, and makes it if it is missing.
    public init(_ name: String, in state: StateDirectory) throws(StorageError) {
        do {
            disk = try state.disk.directory(name, create: true)
            try state.disk.sync()
        } catch {
            throw StorageError(error)
        }
    }

    /// The bytes of a file; nil if it is not there or longer than ``limitBytes``.
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

    /// Takes a file away, if it is there.
    public func remove(_ name: String) throws(DiskFailure) {
        try disk.removeIfPresent(name)
        try disk.sync()
    }

    /// The names of the files, sorted; those that were not finished are left out.
    public func names() throws(DiskFailure) -> [String] {
        try disk.list().filter { !$0.hasSuffix(temporarySuffix) }
    }
}
