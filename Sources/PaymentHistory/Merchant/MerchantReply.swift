public import PaymentCore
import StrictJSON

/// An answer of the Merchant API: status, headers and body, and the reason for the log only.
public struct MerchantReply: Sendable, Hashable {
    /// A header of the answer.
    public struct Header: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String

        /// Makes a header.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The status of HTTP.
    public var status: Int
    /// The headers, the type of the body among them.
    public var headers: [Header]
    /// The body.
    public var body: [UInt8]
    /// Why it was refused, in a word for the log; nil if it was not.
    public var reason: String?
    /// The merchant that asked; nil if that is not proved.
    public var merchant: String?

    /// A page of the history that an order belongs to: the bare JWS, as RFC 7515 section 9.2.1 has
    /// it. A header `Link` (RFC 8288) leads to the page with older payments, if there is one.
    ///
    /// - Parameters:
    ///   - history: The page.
    ///   - order: The order that was asked for.
    ///   - limit: Most purchases of a page, if that was asked for; the next page keeps to it.
    ///   - merchant: The merchant that has asked.
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

    /// The prefix of the order in the path of a history.
    public static let historyPath = "/merchant-api/v1/purchases/in-app/history/"

    /// A request without a right token is refused. Every such answer has the same bytes.
    static func unauthorized(_ refusal: TokenRefusal) -> MerchantReply {
        var reply = MerchantReply(
            status: 401, code: "unauthorized", message: "A valid merchant token is required",
            reason: refusal.word, merchant: nil)
        reply.headers.append(Header(name: "WWW-Authenticate", value: "Bearer"))
        return reply
    }

    /// The order segment of the path is not an order id.
    static func badOrder(_ merchant: String) -> MerchantReply {
        MerchantReply(
            status: 400, code: "badRequest",
            message: "The order id is not a lower-case UUID", reason: "badOrderID",
            merchant: merchant)
    }

    /// There is no such order.
    public static func unknownOrder(_ merchant: String) -> MerchantReply {
        MerchantReply(
            status: 404, code: "notFound", message: "Unknown order",
            reason: "unknownOrder", merchant: merchant)
    }

    /// The page of the history is none, or is gone.
    public static func pageExpired(_ merchant: String) -> MerchantReply {
        MerchantReply(
            status: 404, code: "pageExpired",
            message: "The page has expired; start again from the first page", reason: "pageExpired",
            merchant: merchant)
    }

    /// The merchant asks too often.
    static func tooOften(_ merchant: String, seconds: Int) -> MerchantReply {
        var reply = MerchantReply(
            status: 429, code: "tooManyRequests", message: "Too many requests; try again later",
            reason: "tooManyRequests", merchant: merchant)
        reply.headers.append(Header(name: "Retry-After", value: String(seconds)))
        return reply
    }

    /// The store cannot answer now.
    public static func unavailable(_ merchant: String, reason: String) -> MerchantReply {
        var reply = MerchantReply(
            status: 503, code: "serviceUnavailable", message: "The store cannot answer now",
            reason: reason, merchant: merchant)
        reply.headers.append(Header(name: "Retry-After", value: "5"))
        return reply
    }

    /// The server cannot do what was asked, whoever asks.
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
