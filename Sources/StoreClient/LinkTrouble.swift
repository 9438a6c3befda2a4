import AsyncHTTPClient
import NIOCore
import NIOSSL

/// Why no answer came, in words for people: what the layers below say is for who wrote them.
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
        case .deadlineExceeded, .readTimeout, .connectTimeout, .writeTimeout:
            "it took too long"
        case .remoteConnectionClosed: "the connection ended"
        case .tlsHandshakeTimeout: "the TLS handshake took too long"
        default: "\(error)"
        }
    }

    /// Of a failed call of the system what it came to, without its name and its number.
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
