internal import PaymentCore
import SystemPackage

/// A failed system call on a file or directory.
public struct DiskFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The failed operation, such as `open` or `sync`.
    public let operation: Operation
    /// The name of the file or directory.
    public let name: String
    /// The error number.
    public let errno: Int32

    /// The operations on a disk.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        /// Opening or creating a file or directory.
        case open
        /// Reading bytes.
        case read
        /// Writing bytes.
        case write
        /// Making bytes or entries durable.
        case sync
        /// Cutting or extending a file.
        case truncate
        /// Renaming a file.
        case rename
        /// Linking a file.
        case link
        /// Removing a name.
        case remove
        /// Listing names.
        case list
        /// Reading the status of a file, a directory or the file system.
        case examine
        /// Taking a lock.
        case lock
    }

    /// Creates a failure.
    public init(_ operation: Operation, _ name: String, errno: Int32) {
        self.operation = operation
        self.name = name
        self.errno = errno
    }

    /// A sentence such as "cannot sync 'journal-….ndjson': input/output error".
    public var description: String {
        "cannot \(operation.rawValue) '\(name)': \(reason)"
    }

    /// The text of the error number, beginning with a lower-case letter.
    public var reason: String {
        if isOfKind { return "it is not a regular file" }
        let text = Errno(rawValue: errno).description
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// Whether the name does not exist.
    public var isNotFound: Bool { errno == Errno.noSuchFileOrDirectory.rawValue }

    /// Whether the disk is the cause, and not the choice of a directory: it is read-only, fails, or has
    /// no space.
    var isOfDisk: Bool {
        errno == Errno.readOnlyFileSystem.rawValue || errno == Errno.ioError.rawValue
            || isOutOfSpace
    }

    /// Whether the name belongs to something else than a file: a directory, a link, a pipe, a socket or a
    /// device.
    var isOfKind: Bool {
        operation == .open
            && (errno == Errno.isDirectory.rawValue
                || errno == Errno.tooManySymbolicLinkLevels.rawValue
                || errno == Errno.noSuchAddressOrDevice.rawValue)
    }

    /// Whether the file itself is the cause: it is missing, it is not a regular file, or the disk cannot read
    /// it.
    var isOfFile: Bool { isNotFound || isOfKind || errno == Errno.ioError.rawValue }

    /// The same failure with the path of the file.
    func inDirectory(_ path: String) -> DiskFailure {
        DiskFailure(operation, "\(path)/\(name)", errno: errno)
    }

    /// The error number of a full disk.
    static let noSpace = Errno.noSpace.rawValue

    /// The limit that refused the space; nil if the disk is full, or the cause is another one.
    var shortage: Room.Shortage? {
        switch errno {
        case Errno.diskQuotaExceeded.rawValue: .quota
        case Errno.fileTooLarge.rawValue: .fileSize
        default: nil
        }
    }

    /// Whether the cause is a lack of space: full disk, quota, or file-size limit.
    public var isOutOfSpace: Bool {
        errno == Errno.noSpace.rawValue || errno == Errno.diskQuotaExceeded.rawValue
            || errno == Errno.fileTooLarge.rawValue
    }
}
