import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PaymentCore
import PaymentSandbox
import SandboxControl

/// The actions of the operator's pages. Each button links to a confirmation, and the form of the
/// confirmation performs the action.
extension OperatorRoutes {
    /// Performs the action of a form and redirects to the page of its object. A reload of that page
    /// does not repeat the action.
    func operate(_ request: Request) async throws -> Response {
        let fields = FormFields(Array(buffer: try await request.wholeBody()))
        let action = try OperatorAction(fields)
        guard services.operators.isOwn(request, form: fields) else {
            throw PageFailure(
                .forbidden, "This form has expired. Reload its page and try again.",
                back: action.page)
        }
        let before = await services.sandbox.testSettings()
        let made = try await perform(action)
        services.log.notice("operator action", metadata: ["action": "\(action.word.rawValue)"])
        return Response(
            status: .seeOther,
            headers: [
                .location: target(of: action.noting(before), made: made).text,
                .cacheControl: "no-store",
            ])
    }

    private func target(of action: OperatorAction, made: StoreOrder?) -> PageLink {
        let done =
            [("done", action.word.rawValue)] + action.objectFields.map { ($0.name, $0.value) }
        let path: String =
            switch action.object {
            case .order where action.word == .delete: "/orders"
            case .order(let order): "/orders/\(order)"
            case .purchase: made.map { "/orders/\($0.order)" } ?? "/account"
            case .subscription, .session: "/account"
            case .setting, .value: "/settings"
            }
        return PageLink(path, done)
    }

    private func perform(_ action: OperatorAction) async throws -> StoreOrder? {
        switch action.object {
        case .setting(let setting):
            _ = try await services.sandbox.applyTestSettings(
                setting.change(to: action.word == .switchOn))
            return nil
        case .value(let value, _):
            _ = try await services.sandbox.applyTestSettings(value.change)
            return nil
        case .session(let account, let digest):
            guard
                let session = services.tokens.sessions(of: account).first(where: {
                    $0.digest == digest
                })
            else {
                throw PageFailure(.notFound, "The session has ended already.", back: action.page)
            }
            try await services.tokens.revoke(session)
            services.feed.wake(account)
            return nil
        case .order(let order):
            return try await run(action.word.control(of: .order(order)), action, account: nil)
        case .subscription(let account, let product):
            return try await run(
                action.word.control(of: product), action, account: account)
        case .purchase(let account, let product, let token):
            return try await run(.buy(product, appAccountToken: token), action, account: account)
        }
    }

    private func run(
        _ control: TestControl?, _ action: OperatorAction, account: AccountName?
    ) async throws(PageFailure) -> StoreOrder? {
        guard let control else { throw PageFailure(.badRequest, "There is no such action.") }
        do throws(TestFailure) {
            return try await services.sandbox.run(control, account: account)
        } catch .noSuchOrder {
            throw .nothing(for: action)
        } catch .noSubscription {
            throw .nothing(for: action)
        } catch {
            throw PageFailure(error, back: action.page)
        }
    }
}

extension OperatorAction {
    /// The same action with the current value of its setting, so that it can be undone.
    fileprivate func noting(_ settings: StoreTestSettings) -> OperatorAction {
        guard case .value(let value, _) = object else { return self }
        return OperatorAction(word, .value(value, before: value.current(in: settings)))
    }
}

extension OperatorAction.Word {
    /// The control for an action on an order; nil for other actions.
    fileprivate func control(of order: OrderReference) -> TestControl? {
        switch self {
        case .approve: .decide(order, approved: true)
        case .decline: .decide(order, approved: false)
        case .refund: .refund(order)
        case .resolve: .resolve(order)
        case .delete: .deleteOrder(order)
        case .renew, .end, .renewOn, .renewOff, .raisePrice, .acceptPrice, .declinePrice, .buy,
            .endSession, .switchOn, .switchOff, .change:
            nil
        }
    }

    /// The control for an action on a subscription; nil for other actions.
    fileprivate func control(of product: ProductIdentifier) -> TestControl? {
        switch self {
        case .renew: .renew(product)
        case .end: .expire(product)
        case .renewOn: .autoRenew(product, true)
        case .renewOff: .autoRenew(product, false)
        case .raisePrice: .priceIncrease(product, .pending)
        case .acceptPrice: .priceIncrease(product, .consent)
        case .declinePrice: .priceIncrease(product, .decline)
        case .approve, .decline, .refund, .resolve, .delete, .buy, .endSession, .switchOn,
            .switchOff, .change:
            nil
        }
    }
}
