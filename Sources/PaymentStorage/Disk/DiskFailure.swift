import SystemPackage

/// A system call on a file or directory failed.
public struct DiskFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The operation, such as `open` or `sync`.
    public let operation: Operation
    /// The name that it was tried on.
    public let name: String
    /// The error number.
    public let errno: Int32

    /// The operations on a disk.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        /// Opening or making a file or directory.
        case open
        /// Reading bytes.
        case read
        /// Writing bytes.
        case write
        /// Making bytes or entries durable.
        case sync
        /// Cutting or extending a file.
        case truncate
        /// Giving another name.
        case rename
        /// Giving a second name.
        case link
        /// Taking a name away.
        case remove
        /// Listing names.
        case list
        /// Asking about a file, a directory or the file system.
        case examine
        /// Taking a lock.
        case lock
    }

    /// Makes a failure.
    public init(_ operation: Operation, _ name: String, errno: Int32) {
        self.operation = operation
        self.name = name
        self.errno = errno
    }

    /// A sentence such as "cannot sync 'journal-….ndjson': input/output error".
    public var description: String {
        "cannot \(operation.rawValue) '\(name)': \(reason)"
    }

    /// The error number in words, beginning with a small letter.
    public var reason: String {
        let text = Errno(rawValue: errno).description
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// Whether there is nothing of that name.
    public var isNotFound: Bool { errno == Errno.noSuchFileOrDirectory.rawValue }

    /// Whether a system call was interrupted by a signal and did nothing.
    public var isInterrupted: Bool { errno == Errno.interrupted.rawValue }

    /// Whether there was no room: full disk, quota, or a file-size limit.
    public var isOutOfSpace: Bool {
        errno == Errno.noSpace.rawValue || errno == Errno.diskQuotaExceeded.rawValue
            || errno == Errno.fileTooLarge.rawValue
    }
}
