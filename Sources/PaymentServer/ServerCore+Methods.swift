import JSONRPC
import PaymentAPI
import StrictJSON

/// The table of methods: one line each.
extension ServerCore {
    func registerMethods() {
        methods.register(AddPayment.self, add)
        methods.register(RestorePurchases.self, restore)
        methods.register(FinishTransaction.self, finish)
        methods.register(Transactions.self, transactions)
        methods.register(WaitForTransaction.self, wait)
        methods.register(Subscribe.self, subscribe)
        methods.register(Unsubscribe.self, unsubscribe)
        methods.register(Events.self, events)
        methods.register(Ack.self, ack)
        methods.register(Observers.self, observers)
        methods.register(Products.self, products)
        methods.register(Entitlements.self, entitlements)
        methods.register(SignedHistoryMethod.self, signedHistory)
        methods.register(Keys.self, keys)
        methods.register(Login.self, login)
        methods.register(Logout.self, logout)
        methods.register(StorefrontMethod.self, storefront)
        methods.register(Delegate.self, delegate)
        methods.register(Questions.self, questions)
        methods.register(AnswerQuestion.self, answer)
        methods.register(Hello.self, hello)
        methods.register(Ping.self, ping)
        methods.register(Status.self, status)
        methods.register(MetricsMethod.self, metrics)
        methods.register(Cancel.self, cancel)
        methods.register(HelpMethod.self, help)
        methods.register(DiscoverMethod.self, discover)
        methods.register(Drain.self, drain)
        methods.register(Reload.self, reload)
        methods.register(Backup.self, backup)
        registerControls()
        methods.registerCheck(check)
    }

    /// The controls of the sandbox.
    private func registerControls() {
        methods.register(Decide.self, decide)
        methods.register(TestGet.self, testGet)
        methods.register(TestSet.self, testSet)
        methods.register(TestOrders.self, testOrders)
        methods.register(TestBuy.self, testBuy)
        methods.register(TestRefund.self, testRefund)
        methods.register(TestResolve.self, testResolve)
        methods.register(TestRenew.self, testRenew)
        methods.register(TestExpire.self, testExpire)
        methods.register(TestAutoRenew.self, testAutoRenew)
        methods.register(TestPriceIncrease.self, testPriceIncrease)
        methods.register(TestDeleteOrder.self, testDeleteOrder)
        methods.register(TestClear.self, testClear)
        methods.register(TestReset.self, testReset)
        methods.register(TestClockGet.self, testClockGet)
        methods.register(TestClockAdvance.self, testClockAdvance)
    }
}
