import Foundation
import HTTPTypes
import Hummingbird
import Logging
import PaymentBackend
import PaymentCore
import PaymentHistory
import StrictJSON

/// Signed histories, for the account itself and for publishers, and the keys for everybody.
struct HistoryRoutes {
    let shop: Shop

    func add(to router: Router<StoreContext>) {
        router.get(RouterPath(StoreAPI.prefix + "/history")) { request, _ in
            try await history(request)
        }
        router.get(".well-known/jwks.json") { _, _ in
            StoreReply.json(
                KeySet(try await shop.sandbox.keys()).jsonBytes,
                headers: [.cacheControl: "public, max-age=300"])
        }
        router.get("merchant-api/v1/purchases/in-app/history/{order}") { request, context in
            await merchantHistory(request, order: context.parameters.get("order") ?? "")
        }
    }

    /// The history of the account of a session.
    private func history(_ request: Request) async throws -> Response {
        let account = try shop.account(of: request)
        let signed = try await shop.sandbox.signedHistory(of: account)
        return StoreReply.json { writer in
            writer.beginObject()
            writer.name("jws")
            writer.string(signed.jws)
            writer.name("kid")
            writer.string(signed.keyID)
            writer.name("alg")
            writer.string(signed.algorithm)
            writer.endObject()
        }
    }

    /// The history that an order belongs to, for a publisher.
    private func merchantHistory(_ request: Request, order: String) async -> Response {
        let reply: MerchantReply
        let asked = MerchantRequest(
            order: order.removingPercentEncoding ?? order,
            authorization: request.headers[values: .authorization])
        switch shop.merchants.admit(asked, now: shop.now()) {
        case .refused(let refusal): reply = refusal
        case .admitted(let order, let merchant):
            do throws(StoreFailure) {
                let signed = try await shop.sandbox.signedHistory(holding: order)
                reply = signed.map { .history($0, to: merchant) } ?? .unknownOrder(merchant)
            } catch {
                reply = .unavailable(merchant, reason: error.description)
            }
        }
        log(reply)
        return StoreReply.merchant(reply)
    }

    /// Whoever was turned away is told little; the reason stands here.
    private func log(_ reply: MerchantReply) {
        guard let reason = reply.reason else { return }
        shop.log.notice(
            "turned a merchant's request away",
            metadata: [
                "reason": "\(reason)", "status": "\(reply.status)",
                "merchant": "\(reply.merchant ?? "unknown")",
            ])
    }
}
