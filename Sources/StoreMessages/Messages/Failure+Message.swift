package import PaymentCore
import StrictJSON

/// How the Store API says that it cannot do what was asked: a status of HTTP and an object
/// `{"error":{"kind","message"}}`. The kind decides, the status is for whoever knows HTTP only.
package struct FailureMessage: Error, Sendable, Hashable {
    /// The words of ``StoreFailure/Kind`` and a few that only the API has.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case connectionError, serviceUnavailable, appNotRegistered, unknownAccount, badCredential
        case storageFailed
        /// The request conflicts with the state of the store, such as an order of another account.
        case conflict
        /// The access token is missing, unknown, or has ended: refresh the session.
        case sessionExpired
        /// The session was revoked, or never was: log in again.
        case sessionRevoked
        /// The request is not what the API says.
        case badRequest
        /// There is no such order, page or path.
        case notFound
        /// The path is there, the method is not.
        case methodNotAllowed
        /// The body is too long.
        case tooLarge
        /// Too many wrong credentials, sessions or feeds.
        case tooManyRequests
    }

    /// The failure.
    package var kind: Kind
    /// A sentence for people.
    package var message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// Says what the store itself says.
    package init(_ failure: StoreFailure) {
        kind = Kind(rawValue: failure.kind.rawValue) ?? .conflict
        message = failure.description
    }

    /// Reads a body; nil if it is none of the API. A word that is not known yet means what the status
    /// means.
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

    /// Whether the same order would be refused again, however often it is sent: the request itself is
    /// not to the store's liking. Not so for what a person or an operator can mend.
    package var refusesOrderForGood: Bool {
        switch kind {
        case .badRequest, .methodNotAllowed, .tooLarge: true
        case .connectionError, .serviceUnavailable, .appNotRegistered, .unknownAccount,
            .badCredential, .storageFailed, .conflict, .sessionExpired, .sessionRevoked,
            .notFound, .tooManyRequests:
            false
        }
    }

    /// The status of HTTP.
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

    /// The failure as callers of the store know it.
    package var failure: StoreFailure {
        let known = StoreFailure.Kind(rawValue: kind.rawValue)
        switch kind {
        case .storageFailed:
            // The disk of another machine: nothing that this process would have to stop for.
            return StoreFailure(.serviceUnavailable, message)
        case .sessionExpired, .sessionRevoked: return StoreFailure(.sessionRevoked, message)
        case .tooManyRequests: return StoreFailure(.serviceUnavailable, message)
        default: return StoreFailure(known ?? .internalError, message)
        }
    }
}
