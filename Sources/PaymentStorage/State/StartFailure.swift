internal import PaymentCore

/// A program that keeps its state in files cannot start, or cannot continue: a sentence for people and
/// an exit code for programs.
public enum StartFailure: Error, Sendable, CustomStringConvertible {
    /// Invalid flags, environment, files or paths: exit 78.
    case configuration(String)
    /// Another process uses the socket or the address: exit 69.
    case inUse(String)
    /// The state directory is refused, in use, failed or unsuitable.
    case storage(StorageError)
    /// The system refuses a resource: exit 71.
    case system(String)

    /// The attempt, its object, and the reason of its failure; without a full stop.
    public var description: String {
        switch self {
        case .configuration(let sentence), .inUse(let sentence), .system(let sentence): sentence
        case .storage(let error): error.description
        }
    }

    /// The exit code of the process.
    public var exitCode: Int32 {
        switch self {
        case .configuration: 78
        case .inUse: 69
        case .storage(let error): error.exitCode
        case .system: 71
        }
    }

    /// The error number of the system call; 0 if no system call failed.
    public var errno: Int32 {
        switch self {
        case .storage(.failed(let failure)): failure.errno
        case .configuration, .inUse, .storage, .system: 0
        }
    }

    /// The text for standard error.
    ///
    /// - Parameter program: The name of the program.
    /// - Returns: Two lines, what is wrong and what to do next. For a journal that was refused one
    ///   line of JSON, for the program that decides what to do next.
    public func complaint(of program: String) -> String {
        if case .storage(.refused(let refusal)) = self { return refusal.jsonText }
        let sentence = description
        let start = sentence.hasPrefix("cannot ") ? "" : "cannot start: "
        let stop = sentence.hasSuffix("?") ? "" : "."
        return "\(program): \(start)\(sentence)\(stop)\n  Next: \(advice(program))."
    }

    private func advice(_ program: String) -> String {
        switch self {
        case .configuration, .storage(.unsuitable):
            "correct it, then run '\(program) --check-config'"
        case .inUse: "stop the program that listens there, or choose another path"
        case .storage(.inUse): "stop that process first, or choose another --state-directory"
        case .storage(.failed(let failure)) where failure.isOfReadOnlyDisk:
            "mount it writable; 'payqueued --read-only' serves its state meanwhile"
        case .storage(.failed):
            "free disk space or repair the disk; 'payqueuectl journal verify' checks the files"
        case .storage(.refused):
            "run 'payqueuectl journal verify', then 'payqueuectl journal repair'"
        case .system: "check what this user is permitted to do, then start it again"
        }
    }
}
