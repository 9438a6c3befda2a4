import PaymentAPI
import PaymentCore
import SandboxControl
import Testing

@Suite struct SandboxDecodingTests {
    @Test func `test set changes what is given and nothing else`() throws {
        let params = try decode(
            TestSet.self,
            #"{"failTransactionsEnabled":true,"failureError":"cancelled","askToBuyEnabled":false,"#
                + #""paymentsAllowed":true,"latencyMs":250,"storeDown":false}"#)
        #expect(params.change.failTransactionsEnabled == true)
        #expect(params.change.failureError == "cancelled")
        #expect(params.change.askToBuyEnabled == false)
        #expect(params.change.paymentsAllowed == true)
        #expect(params.change.latencyMs == 250)
        #expect(params.change.storeDown == false)
        #expect(try decode(TestSet.self, "{}").change == StoreTestSettingsChange())
        #expect(try refusal(TestSet.self, #"{"latencyMs":-1}"#) == "outOfRange /latencyMs")
        #expect(try refusal(TestSet.self, #"{"latencyMs":600001}"#) == "outOfRange /latencyMs")
        #expect(try refusal(TestSet.self, #"{"failureError":"no"}"#) == "outOfRange /failureError")
    }

    @Test func `test set finds a country by two or three letters`() throws {
        for text in ["DE", "DEU"] {
            let params = try decode(TestSet.self, #"{"storefront":"\#(text)"}"#)
            #expect(try params.change.storefront == Sample.country())
        }
        for text in ["", "D", "de", "ZZ", "QQQ", "GERM"] {
            let params = #"{"storefront":"\#(text)"}"#
            #expect(try refusal(TestSet.self, params) == "outOfRange /storefront")
        }
    }

    @Test func `test set reads everything that a sandbox can be set to`() throws {
        let params = try decode(
            TestSet.self,
            #"{"interruptedPurchasesEnabled":true,"timeRate":13,"locale":"de_DE","#
                + #""billingGracePeriodIsEnabled":true,"shouldEnterBillingRetryOnRenewal":false,"#
                + #""simulatedErrors":{"login":"badCredential","history":null}}"#)
        #expect(params.change.interruptedPurchasesEnabled == true)
        #expect(params.change.timeRate == .apple(13))
        #expect(params.change.locale == "de_DE")
        #expect(params.change.billingGracePeriodIsEnabled == true)
        #expect(params.change.shouldEnterBillingRetryOnRenewal == false)
        let errors = try #require(params.change.simulatedErrors)
        #expect(errors.count == 2)
        #expect(errors[.login] == .some(.badCredential))
        #expect(errors[.history] == .some(nil))
    }

    @Test func `a time rate is one of Apple's numbers or the length of a month`() throws {
        let month = try decode(TestSet.self, #"{"timeRate":{"monthSeconds":30}}"#)
        #expect(month.change.timeRate == .monthSeconds(30))
        let refusals = [
            (#"{"timeRate":7}"#, "outOfRange /timeRate"),
            (#"{"timeRate":-1}"#, "outOfRange /timeRate"),
            (#"{"timeRate":1.0}"#, "outOfRange /timeRate"),
            (#"{"timeRate":"1"}"#, "wrongType /timeRate"),
            (#"{"timeRate":null}"#, "wrongType /timeRate"),
            (#"{"timeRate":{}}"#, "missingParam /timeRate/monthSeconds"),
            (#"{"timeRate":{"monthSeconds":0}}"#, "outOfRange /timeRate/monthSeconds"),
            (#"{"timeRate":{"monthSecond":9}}"#, "unknownParam /timeRate/monthSecond"),
        ]
        for (params, expected) in refusals {
            #expect(try refusal(TestSet.self, params) == expected)
        }
    }

    @Test(
        arguments: [
            (#"{"purchases":null}"#, "unknownParam /simulatedErrors/purchases"),
            (#"{"purchase":"declined"}"#, "outOfRange /simulatedErrors/purchase"),
            (#"{"purchase":"badCredential"}"#, "outOfRange /simulatedErrors/purchase"),
            (#"{"purchase":"storageFailed"}"#, "outOfRange /simulatedErrors/purchase"),
            (#"{"products":"sessionRevoked"}"#, "outOfRange /simulatedErrors/products"),
            (#"{"purchase":1}"#, "wrongType /simulatedErrors/purchase"),
            (#"[]"#, "wrongType /simulatedErrors"),
        ])
    func `an error is simulated only where it can happen`(
        errors: String, expected: String
    ) throws {
        #expect(try refusal(TestSet.self, #"{"simulatedErrors":\#(errors)}"#) == expected)
    }

    @Test(arguments: SimulatedCall.allCases)
    func `every call of the store can be made to fail`(call: SimulatedCall) throws {
        let params = try decode(
            TestSet.self, #"{"simulatedErrors":{"\#(call.rawValue)":"serviceUnavailable"}}"#)
        #expect(params.change.simulatedErrors == [call: .serviceUnavailable])
    }

    @Test func `an order is named by itself or by its transaction`() throws {
        for method in [TestRefund.self, TestResolve.self, TestDeleteOrder.self] as [any Method.Type]
        {
            #expect(try refusal(method, nil) == "missingParam /transaction")
            #expect(try refusal(method, #"["a","b"]"#) == "unknownParam /order")
        }
        let byTransaction = try decode(TestRefund.self, #"["\#(Sample.idText)"]"#)
        #expect(byTransaction.reference == .transaction(Sample.id))
        let byOrder = try decode(TestRefund.self, #"{"order":"\#(Sample.orderText)"}"#)
        #expect(byOrder.reference == .order(Sample.order))
        #expect(byOrder.text == OpaqueText(Sample.orderText))
        #expect(try decode(TestRefund.self, #"{"order":"7"}"#).reference == nil)
    }

    @Test func `controls of a subscription name the product`() throws {
        #expect(try decode(TestRenew.self, #"["club"]"#).product == "club")
        #expect(try decode(TestExpire.self, #"["club"]"#).product == "club")
        let renewing = try decode(TestAutoRenew.self, #"["club",false]"#)
        #expect(renewing.product == "club" && !renewing.isEnabled)
        #expect(try refusal(TestAutoRenew.self, #"["club"]"#) == "missingParam /enabled")
        let bought = try decode(TestBuy.self, #"{"product":"coins","appAccountToken":"u"}"#)
        #expect(bought.product == "coins" && bought.appAccountToken == "u")
    }

    @Test(arguments: PriceIncreaseAnswer.allCases)
    func `a price increase comes with an answer`(answer: PriceIncreaseAnswer) throws {
        let params = try decode(TestPriceIncrease.self, #"["club","\#(answer.rawValue)"]"#)
        #expect(params.answer == answer)
        #expect(try refusal(TestPriceIncrease.self, #"["club"]"#) == "missingParam /answer")
        #expect(try refusal(TestPriceIncrease.self, #"["club","yes"]"#) == "outOfRange /answer")
    }

    @Test func `the clock moves on by seconds and their fractions`() throws {
        #expect(try decode(TestClockAdvance.self, "[0.5]").span == .milliseconds(500))
        #expect(try refusal(TestClockAdvance.self, "[-1]") == "outOfRange /seconds")
        #expect(try refusal(TestClockAdvance.self, "[1e10]") == "outOfRange /seconds")
    }

    @Test func `decide knows two outcomes`() throws {
        let params = try decode(Decide.self, #"["\#(Sample.idText)","decline"]"#)
        #expect(params.transaction == .id(Sample.id) && params.outcome == .decline)
        #expect(try refusal(Decide.self, #"["t","refund"]"#) == "outOfRange /outcome")
    }

    @Test func `test orders are read page by page`() throws {
        let params = try decode(TestOrders.self, #"{"limit":3,"page":"p"}"#)
        #expect(params.limit == 3 && params.page == "p")
        #expect(try decode(TestOrders.self, nil).limit == 100)
    }
}
