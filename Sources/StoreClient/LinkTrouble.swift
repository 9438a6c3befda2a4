import AsyncHTTPClient
import NIOCore
import NIOSSL

/// The causes of missing answers, in words for users. The errors of the HTTP and TLS layers are
/// written for programmers.
enum LinkTrouble {
    /// A phrase for an error of the connection or of the answer.
    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: reason(error)
        case is NIOTooManyBytesError: "the reply is too long"
        case let error as NIOSSLError: reason(error)
        default: plain("\(error)")
        }
    }

    private static func reason(_ error: HTTPClientError) -> String {
        switch error {
        case .deadlineExceeded: "it took too long"
        case .readTimeout, .writeTimeout: "the connection fell silent"
        case .connectTimeout: "the connection took too long to open"
        case .remoteConnectionClosed: "the connection ended"
        case .tlsHandshakeTimeout: "the TLS handshake took too long"
        default: "\(error)"
        }
    }

    /// The system's description of a failed call, without the name of the call and the error
    /// number.
    private static func plain(_ text: String) -> String {
        guard let start = text.firstRange(of: "): ")?.upperBound,
            let end = text.firstRange(of: ") (errno")?.lowerBound, start < end
        else { return text }
        return text[start..<end].lowercased()
    }

    private static func reason(_ error: NIOSSLError) -> String {
        switch error {
        case .handshakeFailed(let cause):
            "\(cause)".contains("CERTIFICATE_VERIFY_FAILED")
                ? "its certificate is not trusted" : "the TLS handshake failed"
        case .unableToValidateCertificate: "its certificate is not for that host"
        default: "\(error)"
        }
    }
}
