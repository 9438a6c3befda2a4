package import PaymentCore
import StrictJSON

/// The error of the Store API: an HTTP status and a body `{"error":{"kind","message"}}`. The kind
/// is authoritative; the status serves generic HTTP clients.
package struct FailureMessage: Error, Sendable, Hashable {
    /// The kinds of ``StoreFailure/Kind``, and those that only the API has.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case connectionError, serviceUnavailable, appNotRegistered, unknownAccount, badCredential
        case storageFailed
        /// The request conflicts with the state of the store, such as an order of another account.
        case conflict
        /// The access token is missing, unknown or expired: refresh the session.
        case sessionExpired
        /// The session was revoked or never existed: log in again.
        case sessionRevoked
        /// The request does not conform to the API.
        case badRequest
        /// There is no such order, page or path.
        case notFound
        /// The path exists, but not with this method.
        case methodNotAllowed
        /// The body is too long.
        case tooLarge
        /// Too many wrong credentials, sessions or feeds.
        case tooManyRequests
    }

    /// The kind of the failure.
    package var kind: Kind
    /// A sentence for users.
    package var message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The message for a failure of the store itself.
    package init(_ failure: StoreFailure) {
        kind = Kind(rawValue: failure.kind.rawValue) ?? .conflict
        message = failure.description
    }

    /// Reads a body; nil if it is not an error of the API. An unknown kind is replaced by the kind
    /// of the status.
    package init?(parsing bytes: [UInt8], status: Int) {
        guard let fields = try? MessageFields(parsing: bytes),
            let error = try? fields.object("error"),
            let word = try? error.required("kind", { $0 }),
            let message = try? error.required("message", { $0 })
        else { return nil }
        self.init(Kind(rawValue: word) ?? Self.kind(of: status), message)
    }

    private static func kind(of status: Int) -> Kind {
        switch status {
        case 401: .sessionRevoked
        case 402, 403, 409, 423: .conflict
        case 404: .appNotRegistered
        case 408, 425, 429: .tooManyRequests
        case 500...: .serviceUnavailable
        default: .badRequest
        }
    }

    /// True if the request itself is invalid, so that the same order would always be refused. False
    /// for causes that a user or an operator can fix.
    package var refusesOrderForGood: Bool {
        switch kind {
        case .badRequest, .methodNotAllowed, .tooLarge: true
        case .connectionError, .serviceUnavailable, .appNotRegistered, .unknownAccount,
            .badCredential, .storageFailed, .conflict, .sessionExpired, .sessionRevoked,
            .notFound, .tooManyRequests:
            false
        }
    }

    /// The HTTP status.
    package var status: Int {
        switch kind {
        case .connectionError, .serviceUnavailable: 503
        case .storageFailed: 500
        case .appNotRegistered: 403
        case .unknownAccount, .notFound: 404
        case .badCredential, .sessionExpired, .sessionRevoked: 401
        case .conflict: 409
        case .badRequest: 400
        case .methodNotAllowed: 405
        case .tooLarge: 413
        case .tooManyRequests: 429
        }
    }

    /// The bytes of the body.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("error")
        writer.beginObject()
        writer.member("kind", kind.rawValue)
        writer.member("message", message)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    /// The failure as the callers of the store client receive it.
    package var failure: StoreFailure {
        let known = StoreFailure.Kind(rawValue: kind.rawValue)
        switch kind {
        case .storageFailed:
            // The failed disk belongs to the server. This process can continue.
            return StoreFailure(.serviceUnavailable, message)
        case .sessionExpired, .sessionRevoked: return StoreFailure(.sessionRevoked, message)
        case .tooManyRequests: return StoreFailure(.serviceUnavailable, message)
        default: return StoreFailure(known ?? .internalError, message)
        }
    }
}
