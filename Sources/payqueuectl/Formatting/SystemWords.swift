import AsyncHTTPClient
import Foundation
import NIOCore

/// The system's own words.
enum SystemWords {
    /// What an error number means, to stand within a sentence.
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
        var current: (any Error)? = error
        // The system's own reason is at the bottom.
        while let cause = current {
            let known = cause as NSError
            if known.domain == NSPOSIXErrorDomain {
                return SystemWords.of(Int32(truncatingIfNeeded: known.code))
            }
            current = known.userInfo[NSUnderlyingErrorKey] as? any Error
        }
        return error.localizedDescription
    }
}

/// Why nothing came from a server, in words.
enum NetworkReason {
    /// A phrase without a full stop.
    static func phrase(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: phrase(error)
        case let error as IOError: SystemWords.of(error.errnoCode)
        case is NIOTooManyBytesError: "the answer is too long"
        // The server may be unreachable or not trusted: the types of those errors are private.
        default: "the connection failed"
        }
    }

    private static func phrase(_ error: HTTPClientError) -> String {
        switch error {
        case .invalidURL, .emptyHost, .emptyScheme: "that is not a valid address"
        case .connectTimeout: "the server did not answer in time"
        case .deadlineExceeded, .readTimeout, .writeTimeout, .tlsHandshakeTimeout:
            "the answer did not come in time"
        case .remoteConnectionClosed: "the server closed the connection"
        default: "the request failed"
        }
    }
}
