import HTTPTypes
import Hummingbird
import PaymentCore
import PaymentSandbox
import StoreMessages

/// The routes of orders and purchases.
struct OrderRoutes {
    let services: StoreServices

    func add(to api: RouterGroup<StoreContext>) {
        api.put("orders/{transaction}") { request, context in
            try await place(request, context)
        }
        api.get("orders/{transaction}") { request, context in
            try await outcome(request, context)
        }
        api.put("completions/{order}") { request, context in
            try await complete(request, context)
        }
        api.get("purchases") { request, _ in try await purchases(request) }
    }

    private func place(_ request: Request, _ context: StoreContext) async throws -> Response {
        let session = try services.session(of: request)
        let account = session.account
        let transaction = try identifier("transaction", context) { TransactionID($0) }
        let fields = try await request.fields()
        let body: OrderBody
        do {
            body = try OrderBody(fields)
        } catch {
            throw FailureMessage(.badRequest, error.description)
        }
        // The term is checked after the body was read, because the body may arrive late.
        try await services.terms.admit(request, of: account)
        let outcome = try await services.sandbox.submit(body.request(transaction, account: account))
        // Other devices of the account receive a change event; the client itself has the answer.
        if case .purchased = outcome { services.feed.note(.orders(account), by: session) }
        return StoreReply.json { $0.storeOutcome(outcome) }
    }

    private func outcome(_ request: Request, _ context: StoreContext) async throws -> Response {
        let account = try services.account(of: request)
        try await services.terms.admit(request, of: account)
        let transaction = try identifier("transaction", context) { TransactionID($0) }
        guard
            let outcome = try await services.sandbox.outcome(of: transaction, account: account)
        else { throw FailureMessage(.notFound, "the transaction has no order") }
        return StoreReply.json { $0.storeOutcome(outcome) }
    }

    private func complete(_ request: Request, _ context: StoreContext) async throws -> Response {
        let account = try services.account(of: request)
        try await services.terms.admit(request, of: account)
        let order = try identifier("order", context) { OrderID($0) }
        try await services.sandbox.complete(order: order, account: account)
        return StoreReply.done()
    }

    private func purchases(_ request: Request) async throws -> Response {
        let account = try services.account(of: request)
        guard
            let selection = try request.query(
                "selection", PurchaseSelection.init(rawValue:))
        else { throw FailureMessage(.badRequest, "query parameter 'selection' is missing") }
        let page = try request.query("page") {
            EmbeddedStore.isPageOfPurchases($0) ? OpaqueText($0) : nil
        }
        do throws(StoreFailure) {
            let found = try await services.sandbox.purchases(selection, of: account, page: page)
            return StoreReply.json { $0.storePage(found) }
        } catch {
            guard page != nil, error.kind == .internalError else { throw error }
            throw FailureMessage(.notFound, error.description)
        }
    }

    private func identifier<Value>(
        _ name: String, _ context: StoreContext, _ read: (String) -> Value?
    ) throws(FailureMessage) -> Value {
        guard let value = context.parameters.get(name).flatMap(read) else {
            throw FailureMessage(.badRequest, "the path has no valid \(name): expected a UUID")
        }
        return value
    }
}
