public import PaymentCore
import StrictJSON

/// An answer of the Merchant API: status, headers and body, and a reason for the log.
public struct MerchantReply: Sendable, Hashable {
    /// A header of the answer.
    public struct Header: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String

        /// Creates a header.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The HTTP status.
    public var status: Int
    /// The headers, including the content type.
    public var headers: [Header]
    /// The body.
    public var body: [UInt8]
    /// The reason of a refusal, in one word, for the log only; nil for a success.
    public var reason: String?
    /// The authenticated merchant; nil if the request was not authenticated.
    public var merchant: String?

    /// The answer with a page of an order's history: the bare JWS, with the media type of RFC 7515
    /// section 9.2.1. A `Link` header (RFC 8288) refers to the next page, with older payments.
    ///
    /// - Parameters:
    ///   - history: The page.
    ///   - order: The requested order.
    ///   - limit: The requested limit of purchases per page, if any; the link repeats it.
    ///   - merchant: The authenticated merchant.
    /// - Returns: The answer.
    public static func history(
        _ history: SignedHistory, of order: OrderID, limit: Int? = nil, to merchant: String
    ) -> MerchantReply {
        var reply = MerchantReply(
            status: 200, type: "application/jose", body: Array(history.jws.utf8), reason: nil,
            merchant: merchant)
        if let next = history.next {
            let limit = limit.map { "limit=\($0)&" } ?? ""
            let place = "\(historyPath)\(order)?\(limit)page=\(next.string)"
            reply.headers.append(Header(name: "Link", value: "<\(place)>; rel=\"next\""))
        }
        return reply
    }

    /// The path of a history, up to the order ID.
    public static let historyPath = "/merchant-api/v1/purchases/in-app/history/"

    /// The answer to a request without a valid token. Its bytes never depend on the reason.
    static func unauthorized(_ refusal: TokenRefusal) -> MerchantReply {
        var reply = MerchantReply(
            status: 401, code: "unauthorized", message: "A valid merchant token is required",
            reason: refusal.word, merchant: nil)
        reply.headers.append(Header(name: "WWW-Authenticate", value: "Bearer"))
        return reply
    }

    /// The answer for a path segment that is not an order ID.
    static func badOrder(_ merchant: String) -> MerchantReply {
        MerchantReply(
            status: 400, code: "badRequest",
            message: "The order id is not a lower-case UUID", reason: "badOrderID",
            merchant: merchant)
    }

    /// The answer for an unknown order.
    public static func unknownOrder(_ merchant: String) -> MerchantReply {
        MerchantReply(
            status: 404, code: "notFound", message: "Unknown order",
            reason: "unknownOrder", merchant: merchant)
    }

    /// The answer for an unknown or expired page token.
    public static func pageExpired(_ merchant: String) -> MerchantReply {
        MerchantReply(
            status: 404, code: "pageExpired",
            message: "The page has expired; start again from the first page", reason: "pageExpired",
            merchant: merchant)
    }

    /// The answer to a merchant over its rate limit.
    static func tooOften(_ merchant: String, seconds: Int) -> MerchantReply {
        var reply = MerchantReply(
            status: 429, code: "tooManyRequests", message: "Too many requests; try again later",
            reason: "tooManyRequests", merchant: merchant)
        reply.headers.append(Header(name: "Retry-After", value: String(seconds)))
        return reply
    }

    /// The answer while the store is unavailable.
    public static func unavailable(_ merchant: String, reason: String) -> MerchantReply {
        var reply = MerchantReply(
            status: 503, code: "serviceUnavailable", message: "The store cannot answer now",
            reason: reason, merchant: merchant)
        reply.headers.append(Header(name: "Retry-After", value: "5"))
        return reply
    }

    /// The answer for a failure that is independent of the merchant.
    public static func failure(status: Int, code: String, message: String) -> MerchantReply {
        MerchantReply(status: status, code: code, message: message, reason: nil, merchant: nil)
    }

    private init(status: Int, type: String, body: [UInt8], reason: String?, merchant: String?) {
        self.status = status
        headers = [
            Header(name: "Content-Type", value: type),
            Header(name: "Cache-Control", value: "no-store"),
        ]
        self.body = body
        self.reason = reason
        self.merchant = merchant
    }

    private init(status: Int, code: String, message: String, reason: String?, merchant: String?) {
        let body: JSONValue = ["error": ["code": .string(code), "message": .string(message)]]
        self.init(
            status: status, type: "application/json", body: Array(body.jsonText().utf8),
            reason: reason, merchant: merchant)
    }
}
