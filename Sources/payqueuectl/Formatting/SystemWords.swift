import FoundationEssentials
import Glibc

/// The system's own words.
enum SystemWords {
    /// The meaning of an error number, to stand within a sentence.
    static func of(_ number: Int32) -> String {
        let words = String(cString: strerror(number))
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}

/// Why a file could not be read or written, in words.
enum FileReason {
    /// Why a file cannot be opened for reading; a phrase without a full stop.
    static func ofReading(_ path: String) -> String {
        access(path, R_OK) == 0 ? "it is not a plain file" : SystemWords.of(errno)
    }

    /// A phrase without a full stop.
    static func phrase(_ error: any Error) -> String {
        // The system's own reason is below what Foundation makes of it.
        let cause = (error as? CocoaError)?.underlying ?? error
        guard let cause = cause as? POSIXError else { return "\(error)" }
        return SystemWords.of(cause.code.rawValue)
    }
}
