import PaymentCore
import PaymentTesting
import PaymentSandbox
import SandboxControl
import Testing

@testable import PaymentSandbox
@testable import payqueue_store

/// What the buttons of the operator's pages do: each asks first, and says what it did.
@Suite struct OperatorActionTests {
    private let sandbox: SandboxService
    private let visitor: PageVisitor

    init() async throws {
        sandbox = try StoreSamples.sandbox()
        visitor = try await PageVisitor(sandbox)
    }

    /// Places an order and opens its page.
    private func page(
        ofOrder number: UInt64, _ product: String = "coins.100",
        _ edit: (inout StoreTestSettingsChange) -> Void = { _ in }
    ) async throws -> PageVisitor.Page {
        _ = try await sandbox.applyTestSettings(StoreSamples.change(edit))
        _ = try await sandbox.submit(try StoreSamples.request(number, product: product))
        let order = try #require(await sandbox.order(of: StoreSamples.transaction(number)))
        return try await visitor.get("/orders/\(order.order)")
    }

    private func state(of number: UInt64) async -> StoreOrder.State? {
        await sandbox.order(of: StoreSamples.transaction(number))?.state
    }

    @Test(
        arguments: [
            ("approve", StoreOrder.State.purchased, "The order was approved."),
            ("decline", .failed, "The order was declined."),
        ])
    func `an order that waits is decided on its page`(
        word: String, state: StoreOrder.State, notice: String
    ) async throws {
        let page = try await page(ofOrder: 1) { $0.askToBuyEnabled = true }
        #expect(page.body.contains("waits for approval"))
        let done = try await visitor.confirm(word, on: page)
        #expect(done.status == 200 && done.body.contains(notice))
        #expect(await self.state(of: 1) == state)
        try await visitor.stop()
    }

    @Test func `a refund asks first, says that it is final, and is offered once`() async throws {
        let page = try await page(ofOrder: 1)
        let link = try #require(page.questions.first { $0.contains("action=refund") })
        let question = try await visitor.get(link)
        #expect(question.body.contains("This cannot be undone."))
        #expect(question.body.contains("Refund 1.99 EUR"))
        #expect(question.body.contains(">Cancel</a>"))
        #expect(await state(of: 1) == .purchased, "asking does nothing")
        let done = try await visitor.press(question)
        #expect(done.body.contains("The order was refunded."))
        #expect(await state(of: 1) == .refunded)
        #expect(!done.questions.contains { $0.contains("action=refund") })
        // Whoever asks again from an old page is told, and nothing is done.
        let again = try await visitor.get(link)
        #expect(again.status == 409 && again.body.contains("The order is refunded"))
        try await visitor.stop()
    }

    @Test func `what interrupted an order is resolved, and an order is deleted`() async throws {
        var page = try await page(ofOrder: 1) { $0.interruptedPurchasesEnabled = true }
        #expect(page.body.contains(">interrupted</span>"))
        _ = try await sandbox.applyTestSettings(
            StoreSamples.change { $0.interruptedPurchasesEnabled = false })
        page = try await visitor.confirm("resolve", on: page)
        #expect(page.body.contains("The order was resolved."))
        #expect(await state(of: 1) == .purchased)
        page = try await visitor.confirm("delete", on: page)
        #expect(page.heading == "Orders" && page.body.contains("The order was deleted."))
        #expect(await state(of: 1) == nil)
        try await visitor.stop()
    }

    @Test func `a subscription is renewed, switched off and on again, and ended`() async throws {
        _ = try await page(ofOrder: 1, "pro.monthly")
        var page = try await visitor.get("/account?account=demo")
        #expect(page.body.contains("aria-label=\"1 period paid, from "))
        page = try await visitor.confirm("renew", on: page)
        #expect(page.body.contains("The subscription was renewed."))
        #expect(page.body.contains("aria-label=\"2 periods paid, from "))
        #expect(page.body.contains("Renewed: Pro, monthly for"))
        page = try await visitor.confirm("renewOff", on: page)
        #expect(page.body.contains("The subscription ends with its period."))
        #expect(try await subscription().autoRenews == false)
        // The notice itself takes it back.
        page = try await visitor.press(page)
        #expect(page.body.contains("The subscription renews itself again."))
        #expect(try await subscription().autoRenews)
        page = try await visitor.confirm("raisePrice", on: page)
        #expect(page.body.contains("price increase not accepted"))
        #expect(try await visitor.get("/").body.contains("1 subscription</caption>"))
        page = try await visitor.confirm("acceptPrice", on: page)
        #expect(try await subscription().increase?.isAgreed == true)
        page = try await visitor.confirm("end", on: page)
        #expect(try await subscription().status == .ended)
        #expect(!page.questions.contains { $0.contains("action=renew") })
        try await visitor.stop()
    }

    private func subscription() async throws -> SandboxSubscription {
        let state = try await sandbox.durableState()
        let key = SubscriptionKey(account: "demo", group: "pro")
        return try #require(state.subscriptions[key])
    }

    @Test func `a renewal that was not paid needs action, and is resolved there`() async throws {
        _ = try await page(ofOrder: 1, "pro.monthly")
        let account = try await visitor.get("/account?account=demo")
        _ = try await sandbox.applyTestSettings(
            StoreSamples.change { $0.shouldEnterBillingRetryOnRenewal = true })
        let retrying = try await visitor.confirm("renew", on: account)
        #expect(retrying.body.contains(">billing retry</span>"))
        var page = try await visitor.get("/")
        #expect(page.body.contains("<strong>1</strong><span>needs action</span>"))
        #expect(page.body.contains("Renewals cannot be paid"), "the switch is shown")
        page = try await visitor.confirm("resolve", on: page)
        #expect(page.body.contains("The order was resolved."))
        #expect(try await subscription().status == .active)
        #expect(try await visitor.get("/").body.contains("Nothing needs action."))
        try await visitor.stop()
    }

    @Test func `something is bought for an account, and shows in its timeline`() async throws {
        let question = try await visitor.get(
            "/confirm?action=buy&account=demo&product=remove-ads&appAccountToken=user+7")
        #expect(question.heading == "Buy No advertisements for demo?")
        let done = try await visitor.press(question)
        #expect(done.body.contains("The purchase was made.") && done.body.contains("user 7"))
        let account = try await visitor.get("/account?account=demo")
        #expect(account.body.contains("Bought: No advertisements for"))
        let owned = account.part(from: "id=\"owns-title\"", to: "</section>") ?? ""
        #expect(owned.contains("remove-ads"))
        try await visitor.stop()
    }

    @Test func `a session is ended, and a setting is switched on and undone`() async throws {
        _ = try await visitor.served.shop.tokens.open(
            "demo", country: StoreSamples.germany, now: .now)
        var page = try await visitor.get("/account?account=demo")
        page = try await visitor.confirm("endSession", on: page)
        #expect(page.body.contains("The session was ended."))
        #expect(visitor.served.shop.tokens.count == 0)
        page = try await visitor.confirm("switchOn", on: try await visitor.get("/settings"))
        #expect(await sandbox.testSettings().askToBuyEnabled)
        #expect(page.body.contains("New orders wait for an approval before they are charged."))
        page = try await visitor.press(page)
        #expect(await sandbox.testSettings().askToBuyEnabled == false)
        #expect(page.body.contains("New orders are charged at once."))
        try await visitor.stop()
    }

    @Test func `each setting changes what it says, both ways`() {
        for setting in StoreSwitch.allCases {
            let off = StoreTestSettings()
            #expect(!setting.isOn(in: off), "\(setting)")
            #expect(setting.isOn(in: off.applying(setting.change(to: true))), "\(setting)")
            let on = off.applying(setting.change(to: true))
            #expect(!setting.isOn(in: on.applying(setting.change(to: false))), "\(setting)")
        }
    }

    @Test(
        arguments: [
            ("timeRate", "seconds-300", "A month of a subscription lasts 5 minutes."),
            ("latencyMs", "250", "The store delays every answer by 250 ms."),
            ("failureError", "cancelled", "their error is &#39;cancelled&#39;."),
            (
                "error-login", "unknownAccount",
                "The store answers logins with the error &#39;unknown account&#39;."
            ),
        ])
    func `a value is changed after a question, and the notice takes it back`(
        setting: String, text: String, meaning: String
    ) async throws {
        let before = await sandbox.testSettings()
        let link = "/confirm?action=change&setting=\(setting)&value=\(text)"
        let question = try await visitor.get(link)
        #expect(question.status == 200 && question.body.contains(meaning))
        #expect(await sandbox.testSettings() == before, "asking changes nothing")
        var page = try await visitor.press(question)
        #expect(page.heading == "Settings" && page.body.contains(meaning))
        let value = try #require(StoreValue(setting: setting, text: text))
        #expect(await sandbox.testSettings() == before.applying(value.change))
        #expect(page.body.contains("<option value=\"\(text)\" selected>") == !value.choices.isEmpty)
        #expect(page.body.contains(">changed</span>") == value.isUnusual)
        let overview = try await visitor.get("/").body
        #expect(overview.contains(meaning) == value.isUnusual, "the overview warns")
        let again = try await visitor.get(link)
        #expect(again.status == 409 && again.body.contains("The setting has this value already"))
        page = try await visitor.press(page)
        #expect(await sandbox.testSettings() == before, "it is undone")
        #expect(page.body.contains(">Undo</button>"), "and so is that")
        try await visitor.stop()
    }

    @Test(
        arguments: [
            "timeRate&value=seconds-0", "timeRate&value=apple-7", "timeRate&value=2",
            "latencyMs&value=-1", "latencyMs&value=600001", "latencyMs&value=soon", "latencyMs",
            "failureError&value=none", "error-products&value=sessionRevoked",
            "error-purchase&value=storageFailed", "error-purchase&value=", "error-x&value=none",
            "purchase&value=none", "askToBuy&value=on",
        ])
    func `a value that a setting cannot have is an error page`(query: String) async throws {
        let before = await sandbox.testSettings()
        let page = try await visitor.get("/confirm?action=change&setting=\(query)")
        #expect(page.status == 400 && page.heading == "Bad request")
        #expect(page.body.contains("There is no such setting, or it cannot have this value."))
        #expect(page.body.contains("href=\"/settings\">Back</a>"))
        let token = visitor.served.shop.operators.formToken
        let done = try await visitor.post(
            "/operate", "token=\(token)&action=change&setting=\(query)")
        #expect(done.status == 400)
        #expect(await sandbox.testSettings() == before)
        try await visitor.stop()
    }

    @Test func `each value of each setting is read as it is written, and can be chosen`() {
        let settings = StoreTestSettings()
        for current in StoreValue.all(in: settings) {
            #expect(!current.isUnusual, "\(current)")
            for value in current.choices + [.latency(0), .latency(600_000)] {
                #expect(StoreValue(setting: value.setting, text: value.text) == value)
                #expect(value.current(in: settings.applying(value.change)) == value)
            }
        }
        let odd = StoreValue.timeRate(.apple(3))
        #expect(odd.choices.last == odd && odd.label == "150 minutes")
    }

    @Test func `an action without the token of the page is refused, and nothing happens`()
        async throws
    {
        _ = try await page(ofOrder: 1)
        let order = try #require(await sandbox.order(of: StoreSamples.transaction(1))).order
        let token = visitor.served.shop.operators.formToken
        let fields = "action=refund&order=\(order)"
        for (body, headers) in [
            (fields, []), ("token=wrong&\(fields)", []),
            ("token=\(token)&\(fields)", [("sec-fetch-site", "cross-site")]),
            ("token=\(token)&\(fields)", [("sec-fetch-site", "same-site")]),
        ] {
            let page = try await visitor.post("/operate", body, headers)
            #expect(page.status == 403)
            #expect(page.body.contains("This form has expired. Reload its page and try again."))
            #expect(page.body.contains("href=\"/orders/\(order)\">Back</a>"))
        }
        #expect(await state(of: 1) == .purchased)
        try await visitor.stop()
    }
}
