import HTTPTypes
import Hummingbird
import Logging
import PaymentCore
import PaymentHistory
import PaymentSandbox
import StoreMessages
import StrictJSON

/// The routes of signed histories, for the account and for publishers, and of the public keys.
struct HistoryRoutes {
    let services: StoreServices

    func add(to router: Router<StoreContext>) {
        router.get(RouterPath(StoreAPI.prefix + "/history")) { request, _ in
            try await history(request)
        }
        router.get(".well-known/jwks.json") { _, _ in
            StoreReply.json(
                KeySet(try await services.sandbox.keys()).jsonBytes,
                headers: [.cacheControl: "public, max-age=300"])
        }
        router.get("merchant-api/v1/purchases/in-app/history/{order}") { request, context in
            try await merchantHistory(request, order: context.parameters.get("order") ?? "")
        }
    }

    /// A page of the history of the session's account.
    private func history(_ request: Request) async throws -> Response {
        let account = try services.account(of: request)
        var query = try request.historyQuery()
        query.limitBytes =
            try request.query("bytes") { $0.number(in: 1...SignedHistory.limitBytes) }
            ?? query.limitBytes
        guard let page = try await services.sandbox.signedHistory(of: account, query) else {
            throw FailureMessage(.notFound, "the page of the history has expired")
        }
        return StoreReply.json { $0.storeHistory(page) }
    }

    /// A page of the history of an order's account, for a publisher.
    private func merchantHistory(_ request: Request, order: String) async throws -> Response {
        let reply: MerchantReply
        let asked = MerchantRequest(
            order: StoreAddress.decoded(order[...]) ?? order,
            authorization: request.headers[values: .authorization])
        switch services.merchants.admit(asked, now: services.now()) {
        case .refused(let refusal): reply = refusal
        case .admitted(let order, let merchant):
            let query = try request.historyQuery()
            do throws(StoreFailure) {
                switch try await services.sandbox.signedHistory(holding: order, query) {
                case .page(let page):
                    reply = .history(page, of: order, limit: query.limit, to: merchant)
                case .noSuchOrder: reply = .unknownOrder(merchant)
                case .noSuchPage: reply = .pageExpired(merchant)
                }
            } catch {
                reply = .unavailable(merchant, reason: error.description)
            }
        }
        log(reply)
        return StoreReply.merchant(reply)
    }

    /// Logs the reason of a refusal, which the client does not receive.
    private func log(_ reply: MerchantReply) {
        guard let reason = reply.reason else { return }
        services.log.notice(
            "refused a merchant request",
            metadata: [
                "reason": "\(reason)", "status": "\(reply.status)",
                "merchant": "\(reply.merchant ?? "unknown")",
            ])
    }
}

extension Request {
    /// The requested page of a history.
    ///
    /// - Throws: A parameter is invalid.
    fileprivate func historyQuery() throws(FailureMessage) -> HistoryQuery {
        let limit = try query("limit") { $0.number(in: 1...SignedHistory.largestLimit) }
        let page = try query("page") {
            $0.unicodeScalars.count <= SignedHistory.pageBytes ? OpaqueText($0) : nil
        }
        return HistoryQuery(page: page, limit: limit)
    }
}

extension String {
    /// The integer in the string, if it is within a range.
    fileprivate func number(in range: ClosedRange<Int>) -> Int? {
        Int(self).flatMap { range.contains($0) ? $0 : nil }
    }
}
