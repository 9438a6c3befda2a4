import PaymentStorage

/// The server cannot start, or cannot go on: a sentence for people and an exit code for programs,
/// the same as the daemon's.
enum StartFailure: Error, CustomStringConvertible {
    /// Flags, environment, files: exit 78.
    case configuration(String)
    /// Somebody else has the address: exit 69.
    case inUse(String)
    /// The state directory: refused, in use, failed, or unsuitable.
    case storage(StorageError)
    /// The system will not give what is needed: exit 71.
    case system(String)

    var description: String {
        switch self {
        case .configuration(let sentence), .inUse(let sentence), .system(let sentence): sentence
        case .storage(let error): error.description
        }
    }

    var exitCode: Int32 {
        switch self {
        case .configuration: 78
        case .inUse: 69
        case .storage(let error): error.exitCode
        case .system: 71
        }
    }
}
