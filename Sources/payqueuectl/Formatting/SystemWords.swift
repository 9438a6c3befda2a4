import FoundationEssentials
import Glibc

/// The system's error messages.
enum SystemWords {
    /// The message of an error number, for use within a sentence.
    static func of(_ number: Int32) -> String {
        let words = String(cString: strerror(number))
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}

/// The reason why a file could not be read or written.
enum FileReason {
    /// The reason why a file cannot be opened for reading, without a full stop.
    static func ofReading(_ path: String) -> String {
        access(path, R_OK) == 0 ? "it is not a plain file" : SystemWords.of(errno)
    }

    /// The reason as a phrase, without a full stop.
    static func phrase(_ error: any Error) -> String {
        // Foundation wraps the system's error.
        let cause = (error as? CocoaError)?.underlying ?? error
        guard let cause = cause as? POSIXError else { return "\(error)" }
        return SystemWords.of(cause.code.rawValue)
    }
}
