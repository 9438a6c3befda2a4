import JSONRPC
import PaymentAPI
import StrictJSON

/// The table of methods: one line each.
extension ServerCore {
    func registerMethods() {
        methods.register(AddPayment.self, add)
        methods.register(FinishTransaction.self, finish)
        methods.register(Transactions.self, transactions)
        methods.register(WaitForTransaction.self, wait)
        methods.register(Subscribe.self, subscribe)
        methods.register(Unsubscribe.self, unsubscribe)
        methods.register(Events.self, events)
        methods.register(Ack.self, ack)
        methods.register(Observers.self, observers)
        methods.register(Products.self, products)
        methods.register(Login.self, login)
        methods.register(Logout.self, logout)
        methods.register(StorefrontMethod.self, storefront)
        methods.register(Hello.self, hello)
        methods.register(Ping.self, ping)
        methods.register(Status.self, status)
        methods.register(Cancel.self, cancel)
        methods.register(TestGet.self, testGet)
        methods.register(TestSet.self, testSet)
        methods.register(TestOrders.self, testOrders)
        methods.register(HelpMethod.self, help)
        methods.register(DiscoverMethod.self, discover)
        methods.registerCheck()
    }
}
