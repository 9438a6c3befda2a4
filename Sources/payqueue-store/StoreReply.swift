import HTTPTypes
import Hummingbird
import NIOCore
import PaymentCore
import PaymentHistory
import StoreMessages
import StrictJSON

/// Responses of the Store API.
enum StoreReply {
    /// A JSON response, which must not be cached unless the headers permit it.
    static func json(
        _ bytes: [UInt8], status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = StoreAPI.json
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        return Response(
            status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// A JSON response from a writer.
    static func json(
        status: HTTPResponse.Status = .ok, headers: HTTPFields = [:],
        _ write: (inout JSONWriter) -> Void
    ) -> Response {
        var writer = JSONWriter()
        write(&writer)
        return json(writer.bytes, status: status, headers: headers)
    }

    /// An empty response to a successful request.
    static func done() -> Response {
        Response(status: .noContent, headers: [.cacheControl: "no-store"])
    }

    /// A response of the Merchant API.
    static func merchant(_ reply: MerchantReply) -> Response {
        var headers: HTTPFields = [:]
        for header in reply.headers {
            guard let name = HTTPField.Name(header.name) else { continue }
            headers[name] = header.value
        }
        return Response(
            status: .init(code: reply.status), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: reply.body)))
    }

    /// The response to a failure of the store.
    static func failure(_ failure: StoreFailure) -> Response {
        self.failure(FailureMessage(failure))
    }

    /// The response to an error of the API.
    static func failure(_ message: FailureMessage) -> Response {
        var headers: HTTPFields = [:]
        if message.status == 401 { headers[.wwwAuthenticate] = "Bearer" }
        if message.status == 429 || message.status == 503 { headers[.retryAfter] = "5" }
        return json(message.bytes, status: .init(code: message.status), headers: headers)
    }
}

extension Request {
    /// The maximum time for the arrival of a body.
    private static let bodyTimeout = Duration.seconds(10)

    /// The object in the body.
    ///
    /// - Throws: The body is too long, too slow, or not a strict JSON object.
    func fields() async throws -> MessageFields {
        do {
            return try MessageFields(
                parsing: Array(buffer: try await wholeBody()), limits: JSONLimits())
        } catch let fault as MessageFault {
            throw FailureMessage(.badRequest, fault.description)
        }
    }

    /// The whole body.
    func wholeBody() async throws -> ByteBuffer {
        let body = body
        do {
            let late = FailureMessage(.badRequest, "the body did not arrive in time")
            return try await within(Self.bodyTimeout, orThrow: late) {
                try await body.collect(upTo: StoreAPI.requestLimitBytes)
            }
        } catch is NIOTooManyBytesError {
            throw FailureMessage(
                .tooLarge, "the body is longer than \(StoreAPI.requestLimitBytes) bytes")
        }
    }

    /// A query parameter, converted by `read`.
    func query<Value>(
        _ name: String, _ read: (String) -> Value?
    ) throws(FailureMessage) -> Value? {
        let given = uri.queryParameters.getAll(name)
        guard let text = given.first else { return nil }
        guard given.count == 1, let value = read(text) else {
            throw FailureMessage(.badRequest, "query parameter '\(name)' cannot be read")
        }
        return value
    }

    /// The bearer token.
    ///
    /// - Throws: The request has none.
    func bearerToken() throws(FailureMessage) -> String {
        guard let header = headers[.authorization], header.count > 7,
            header.prefix(7).lowercased() == "bearer ",
            let token = BearerToken.checked(String(header.dropFirst(7)))
        else { throw FailureMessage(.sessionExpired, "a bearer token is required") }
        return token
    }
}

extension StoreServices {
    /// The account of a request's session.
    ///
    /// - Throws: The token is missing, unknown or expired.
    func account(of request: Request) throws(FailureMessage) -> AccountName {
        try session(of: request).account
    }

    /// The session of a request's token.
    ///
    /// - Throws: The token is missing, unknown or expired.
    func session(of request: Request) throws(FailureMessage) -> SessionTokenStore.Session {
        try tokens.session(ofAccess: try request.bearerToken(), now: now())
    }
}
