public import PaymentCore
internal import SystemPackage

/// The reason why a state directory or a journal in it is not usable.
public enum StorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The journal cannot be trusted. Nothing was written.
    case refused(RecoveryRefusal)
    /// A file could not be read or written.
    case failed(JournalFailure)
    /// The directory is not suitable; the sentence gives the reason.
    case unsuitable(String)
    /// Another process owns the directory.
    case inUse(LockHolder)

    /// A sentence for users.
    public var description: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .failed(let failure): failure.description
        case .unsuitable(let sentence): sentence
        case .inUse(let holder): holder.description
        }
    }

    /// The exit code of a daemon for this error.
    public var exitCode: Int32 {
        switch self {
        case .refused: 65
        case .inUse: 69
        case .failed: 74
        case .unsuitable: 78
        }
    }

    /// Wraps a failed system call.
    init(_ failure: DiskFailure) {
        self = .failed(JournalFailure(failure))
    }
}

extension JournalFailure {
    /// Whether the file system is mounted read-only.
    var isOfReadOnlyDisk: Bool { errno == Errno.readOnlyFileSystem.rawValue }

    /// Converts a failed system call.
    init(_ failure: DiskFailure) {
        self.init(
            failure.description, errno: failure.errno, isOutOfSpace: failure.isOutOfSpace)
    }
}

/// The process that holds a state directory.
public struct LockHolder: Sendable, Hashable, CustomStringConvertible {
    /// The path of the directory.
    public let directory: String
    /// The process id, if known.
    public let pid: Int32?
    /// The program of the process, if known.
    public let program: String?
    /// The socket of the process, if known.
    public let socketPath: String?

    /// Creates a holder.
    public init(directory: String, pid: Int32?, program: String?, socketPath: String?) {
        self.directory = directory
        self.pid = pid
        self.program = program
        self.socketPath = socketPath
    }

    /// A sentence such as "state directory '/var/lib/payqueued' is in use by payqueued (pid 4711)".
    public var description: String {
        var text = "state directory '\(directory)' is in use by \(program ?? "another process")"
        if let pid { text += " (pid \(pid))" }
        if let socketPath { text += ", which serves '\(socketPath)'" }
        return text
    }
}
