public import PaymentCore

/// Why a state directory or a journal in it cannot be used.
public enum StorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The journal cannot be trusted. Nothing was written.
    case refused(RecoveryRefusal)
    /// A file could not be read or written.
    case failed(JournalFailure)
    /// The directory is not one that may be used; the sentence says why.
    case unsuitable(String)
    /// Another process uses the directory.
    case inUse(LockHolder)

    /// A sentence for people.
    public var description: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .failed(let failure): failure.description
        case .unsuitable(let sentence): sentence
        case .inUse(let holder): holder.description
        }
    }

    /// The exit code that a daemon ends with for this reason.
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
    /// Says the failed system call in the journal's words.
    init(_ failure: DiskFailure) {
        self.init(
            failure.description, errno: failure.errno, isOutOfSpace: failure.isOutOfSpace)
    }
}

/// The process that holds a state directory.
public struct LockHolder: Sendable, Hashable, CustomStringConvertible {
    /// The path of the directory.
    public let directory: String
    /// The process, if it can be told.
    public let pid: Int32?
    /// Its program, if it can be told.
    public let program: String?
    /// The socket that it serves, if it can be told.
    public let socketPath: String?

    /// Makes a holder.
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
