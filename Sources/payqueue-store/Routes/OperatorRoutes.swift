import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PaymentBackend
import PaymentCore

/// The operator's page and what its buttons do.
struct OperatorRoutes {
    private static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
        + "frame-ancestors 'none'; base-uri 'none'"

    let shop: Shop

    func add(to router: Router<StoreContext>) {
        router.get("/") { request, context in try await page(request, context) }
        router.post("operate") { request, context in try await operate(request, context) }
    }

    private func page(_ request: Request, _ context: StoreContext) async throws -> Response {
        if let objection = shop.operators.objection(to: request, context) { return objection }
        let place = try request.query("page") { OrderID($0).map { OpaqueText($0.description) } }
        let notice = try request.query("done") { Action(rawValue: $0)?.notice }
        let orders: [StoreOrder]
        let next: OpaqueText?
        do throws(TestFailure) {
            (orders, next) = try await shop.sandbox.testOrders(
                page: place, limit: OperatorPage.ordersOfPage)
        } catch {
            throw FailureMessage(.notFound, "there is no such page")
        }
        let subscriptions = shop.catalogue.products
            .filter { $0.type == .autoRenewableSubscription }
            .map(\.productIdentifier.string)
        var isOpen = true
        if case .listed = shop.catalogue.accounts { isOpen = false }
        let page = OperatorPage(
            accounts: try await accounts(with: orders), isOpen: isOpen,
            asksToBuy: await shop.sandbox.testSettings().askToBuyEnabled, orders: orders,
            products: subscriptions, next: next?.string,
            notice: notice, token: shop.operators.formToken)
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
            .contentSecurityPolicy: Self.policy,
        ]
        if let name = HTTPField.Name("Referrer-Policy") { headers[name] = "no-referrer" }
        return Response(
            status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(string: page.html)))
    }

    /// The accounts of the catalogue, or, where any name may log in, those that have: with a session,
    /// or with an order on the page.
    private func accounts(
        with orders: [StoreOrder]
    ) async throws -> [(name: String, country: String, mayBuy: Bool, sessions: Int)] {
        let sessions = shop.tokens.counts
        if case .listed(let listed) = shop.catalogue.accounts {
            return listed.map {
                ($0.name.string, "\($0.country)", $0.paymentsAllowed, sessions[$0.name] ?? 0)
            }
        }
        let names = Set(sessions.keys).union(orders.map(\.account))
            .sorted { $0.string < $1.string }
        var accounts: [(name: String, country: String, mayBuy: Bool, sessions: Int)] = []
        for name in names.prefix(OperatorPage.accountsOfPage) {
            guard let facts = shop.sandbox.knownFacts(of: name), let country = facts.country else {
                continue
            }
            accounts.append(
                (name.string, "\(country)", facts.paymentsAllowed, sessions[name] ?? 0))
        }
        return accounts
    }

    private func operate(_ request: Request, _ context: StoreContext) async throws -> Response {
        if let objection = shop.operators.objection(to: request, context) { return objection }
        let form = Form.fields(Array(buffer: try await request.wholeBody()))
        guard shop.operators.isOwn(request, form: form) else {
            throw FailureMessage(.appNotRegistered, "the form is none of this page; reload it")
        }
        guard let action = form["action"].flatMap(Action.init(rawValue:)) else {
            throw FailureMessage(.badRequest, "there is no such action")
        }
        try await perform(action, form)
        // Reloading the page does nothing again.
        return Response(
            status: .seeOther,
            headers: [.location: "/?done=\(action.rawValue)", .cacheControl: "no-store"])
    }

    private func perform(_ action: Action, _ form: [String: String]) async throws {
        if action == .ask || action == .stopAsking {
            var change = StoreTestSettingsChange()
            change.askToBuyEnabled = action == .ask
            _ = try await shop.sandbox.applyTestSettings(change)
        } else {
            try await control(action, form)
        }
        shop.log.notice("the operator did something", metadata: ["action": "\(action.rawValue)"])
    }

    private func control(_ action: Action, _ form: [String: String]) async throws {
        let control: TestControl
        var account: AccountName?
        if action == .renew || action == .expire {
            guard let name = form["account"], let product = form["product"] else {
                throw FailureMessage(.badRequest, "account or product is missing")
            }
            account = AccountName(name)
            let subscription = ProductIdentifier(product)
            control = action == .renew ? .renew(subscription) : .expire(subscription)
        } else {
            guard let order = form["order"].flatMap({ OrderID($0) }) else {
                throw FailureMessage(.badRequest, "the order is missing")
            }
            let reference = OrderReference.order(order)
            switch action {
            case .approve: control = .decide(reference, approved: true)
            case .decline: control = .decide(reference, approved: false)
            case .resolve: control = .resolve(reference)
            case .refund, .renew, .expire, .ask, .stopAsking: control = .refund(reference)
            }
        }
        do throws(TestFailure) {
            _ = try await shop.sandbox.run(control, account: account)
        } catch {
            switch error {
            case .noSuchOrder, .notLoggedIn, .pageExpired, .unknownProduct:
                throw FailureMessage(.notFound, "there is no such order or subscription")
            case .notDecidable(let state):
                throw FailureMessage(
                    .internalError, "the order is \(state.rawValue); nothing was done")
            case .store(let failure): throw failure
            }
        }
    }

    /// What the buttons do.
    enum Action: String, Sendable {
        case approve, decline, refund, resolve, renew, expire, ask, stopAsking

        /// What the page says when it was done.
        var notice: String {
            switch self {
            case .approve: "The order was approved."
            case .decline: "The order was declined."
            case .refund: "The order was refunded."
            case .resolve: "The order was resolved."
            case .renew: "The subscription was renewed."
            case .expire: "The subscription was ended."
            case .ask: "New orders wait for an approval."
            case .stopAsking: "New orders are charged at once."
            }
        }
    }
}

/// The fields of a form as browsers send them.
enum Form {
    /// Most fields that are read.
    private static let limit = 32

    /// The first of each name.
    static func fields(_ bytes: [UInt8]) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in bytes.split(separator: UInt8(ascii: "&")).prefix(limit) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.flatMap({ text($0) }) else { continue }
            let value = parts.count == 2 ? text(parts[1]) : ""
            if fields[name] == nil, let value { fields[name] = value }
        }
        return fields
    }

    private static func text(_ encoded: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = encoded
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else {
                    return nil
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
