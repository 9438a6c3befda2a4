import PaymentAPI
import PaymentCore
import SandboxControl
import StrictJSON
import Testing

@Suite struct SandboxResultTests {
    @Test func `the settings of the sandbox are all shown`() throws {
        #expect(
            written(TestGet.Result(settings: StoreTestSettings(latencyMs: 20)))
                == #"{"failTransactionsEnabled":false,"failureError":"declined","#
                + #""askToBuyEnabled":false,"interruptedPurchasesEnabled":false,"timeRate":0,"#
                + #""paymentsAllowed":true,"billingGracePeriodIsEnabled":false,"#
                + #""shouldEnterBillingRetryOnRenewal":false,"#
                + #""simulatedErrors":{"products":null,"purchase":null,"completion":null,"#
                + #""restore":null,"reconciliation":null,"history":null,"login":null},"#
                + #""latencyMs":20,"storeDown":false}"#)
        let value = TestGet.Result(settings: try Sample.settings()[0]).jsonValue
        #expect(value["storefront"] == "JP")
        #expect(value["locale"] == "ja_JP")
        #expect(value["timeRate"] == ["monthSeconds": 30])
        #expect(value["simulatedErrors"]?["login"] == "badCredential")
        #expect(value["simulatedErrors"]?["restore"] == JSONValue.null)
    }

    @Test func `an order shows what the store knows`() throws {
        var order = try Sample.storeOrder()
        #expect(
            written(TestOrders.Result(orders: [order], next: "o2"))
                == #"{"orders":[{"order":"\#(Sample.orderText)","transaction":"\#(Sample.idText)","#
                + #""original":"\#(Sample.orderText)","account":"demo","product":"coins.100","#
                + #""price":{"value":0.99,"amount":"0.99","currencyCode":"EUR"},"#
                + #""countryCode":"DE","#
                + #""appAccountToken":"u7","state":"purchased","completed":true,"#
                + #""placedAt":"2026-01-05T10:00:00.000Z"}],"next":"o2"}"#)
        order.transaction = nil
        order.state = .failed
        order.failure = .declined
        let value = TestOrders.Result(orders: [order]).jsonValue["orders"]?[0]
        #expect(value?["transaction"] == nil)
        #expect(value?["error"] == "internalError")
        #expect(value?["failureReason"] == "declined")
    }

    @Test func `a renewal, an end and a refund are shown with the order`() throws {
        var order = try Sample.storeOrder()
        order.isRenewal = true
        order.expiresAt = Sample.updated
        order.charge = Charge(
            price: .zero(currencyCode: "EUR"), offer: .introductory, effectiveAt: Sample.updated,
            revocation: OrderRevocation(at: Sample.updated))
        order.state = .refunded
        let value = OrderResult(order: order).jsonValue
        #expect(value["state"] == "refunded")
        #expect(value["renewal"] == true)
        #expect(value["expiresAt"] == "2026-01-05T10:00:01.250Z")
        #expect(value["revokedAt"] == "2026-01-05T10:00:01.250Z")
        #expect(value["charged"] == ["amount": "0.00", "currencyCode": "EUR"])
        #expect(value["offer"] == "introductory")
        #expect(value["effectiveAt"] == "2026-01-05T10:00:01.250Z")
        #expect(
            value["revocation"] == ["at": "2026-01-05T10:00:01.250Z", "reason": "refund"])
        #expect(written(OrderResult(order: nil)) == "{}")
    }

    @Test func `the clock says when something is due`() {
        var clock = TestClock(now: Sample.created, nextEventAt: nil)
        #expect(
            written(TestClockGet.Result(clock: clock)) == #"{"now":"2026-01-05T10:00:00.000Z"}"#)
        clock.nextEventAt = Sample.updated
        #expect(
            written(TestClockAdvance.Result(clock: clock, events: 2))
                == #"{"now":"2026-01-05T10:00:00.000Z","#
                + #""nextEventAt":"2026-01-05T10:00:01.250Z","events":2}"#)
    }

    @Test(
        arguments: [
            (.noSuchOrder, 1602), (.noSubscription("p"), 1602), (.notDecidable(.purchased), 1204),
            (.unknownProduct("p"), 1101),
            (.notLoggedIn, 1504), (.pageExpired, 1203),
            (.store(StoreFailure(.connectionError, "no answer")), -32011),
        ] as [(TestFailure, Int)])
    func `a control that did nothing says why`(failure: TestFailure, code: Int) {
        #expect(failure.errorObject().code == code)
    }

    @Test func `an order that is not there is named as the client named it`() {
        let error = TestFailure.noSuchOrder.errorObject(naming: "o-7")
        #expect(error.data.last == JSONMember(name: "order", value: "o-7"))
        #expect(
            TestFailure.notDecidable(.refunded).errorObject().data.last?.value == "refunded")
    }

    @Test func `a clock that stopped says how far it came`() {
        let clock = TestClock(now: Sample.updated, nextEventAt: nil)
        let error = Failures.clockStopped(clock, events: 10_000)
        #expect(error.code == -32003)
        #expect(
            error.data.suffix(3).map(\.value) == ["2026-01-05T10:00:01.250Z", 10_000, 10_000])
    }
}
