import PaymentCore

extension FamiliarNames {
    /// The queue, its observers and their notifications.
    static let queue: [FamiliarName] = [
        .init(
            "SKPaymentQueue, SKPaymentQueue.default()",
            "OnsidePaymentQueue, Onside.defaultPaymentQueue(), Onside.paymentQueue()",
            [.place("payqueued"), .method("hello")],
            "the queue is the daemon, one connection to its socket is the accessor"),
        .init(
            "StoreKit", "OnsideKit, Onside, Onside.initialize(), OnsideInitializeError",
            [.place("payqueued"), .method("hello")],
            """
            no initialization is needed; a daemon that cannot start exits with a reason and a \
            status
            """),
        .init(
            "SKPaymentQueue.canMakePayments(), AppStore.canMakePayments", "",
            [.member("canMakePayments", of: "status")], "with its reason"),
        .init(
            "SKPaymentTransactionObserver", "OnsidePaymentTransactionObserver",
            [.method("subscribe")],
            "an observer is a subscription; it lasts as long as its connection"),
        .init(
            "SKPaymentQueue.add(_:), SKPaymentQueue.add(_ payment:)",
            "OnsidePaymentQueue.add(_:completion:), add(product), purchase, completion",
            [.method("add")],
            "the reply is the pre-flight result; a key makes it repeatable"),
        .init(
            "SKPaymentQueue.add(_ observer:), addTransactionObserver",
            "add(observer:), addObserver", [.method("subscribe")],
            "unfinished transactions are delivered at once"),
        .init(
            "SKPaymentQueue.remove(_:), removeTransactionObserver",
            "remove(observer:), removeObserver", [.method("unsubscribe")],
            "closing the connection does the same"),
        .init(
            "SKPaymentQueue.transactionObservers", "OnsidePaymentQueue.transactionObservers",
            [.method("observers")]),
        .init(
            "SKPaymentQueue.transactions",
            "OnsidePaymentQueue.transactions, getTransactions", [.method("transactions")]),
        .init(
            "SKPaymentQueue.delegate, SKPaymentQueueDelegate",
            "OnsidePaymentQueue.delegate, OnsidePaymentQueueDelegate",
            [.method("delegate"), .method("questions"), .method("answer")],
            "a policy, and questions that every entitled client may answer"),
        .init(
            "SKPaymentQueue.finishTransaction(_:)", "OnsidePaymentQueue.finishTransaction(_:)",
            [.method("finish")], "by id; the reply names the effect"),
        .init(
            "SKPaymentQueue.restoreCompletedTransactions()",
            "OnsidePaymentQueue.restoreCompletedTransactions(completion:)", [.method("restore")]),
        .init(
            "SKPaymentQueue.restoreCompletedTransactions(withApplicationUsername:)", "",
            [.parameter("appAccountToken", of: "restore")]),
        .init(
            """
            paymentQueue(_:updatedTransactions:), \
            SKPaymentTransactionObserver.updatedTransactions
            """,
            "onsidePaymentQueue(_:updatedTransactions:), onTransactionsUpdated",
            [.event(.transactionsUpdated)]),
        .init(
            """
            paymentQueue(_:removedTransactions:), \
            SKPaymentTransactionObserver.removedTransactions
            """,
            "onsidePaymentQueue(_:removedTransactions:), onTransactionsRemoved",
            [.event(.transactionsRemoved)], "with a reason"),
        .init(
            "paymentQueueRestoreCompletedTransactionsFinished(_:)",
            """
            onsidePaymentQueueRestoreCompletedTransactionsFinished(_:), \
            onRestoreCompletedTransactionsFinished
            """,
            [.event(.restoreCompleted)], "with a count"),
        .init(
            """
            paymentQueue(_:restoreCompletedTransactionsFailedWithError:), \
            restoreCompletedTransactionsFailedWithError
            """,
            """
            onsidePaymentQueue(_:restoreCompletedTransactionsFailedWithError:), \
            onRestoreCompletedTransactionsFailedWithError
            """,
            [.event(.restoreFailed)]),
        .init(
            "paymentQueueDidChangeStorefront(_:)",
            "onsidePaymentQueueDidChangeStorefront(_:), onStorefrontChanged",
            [.event(.storefrontChanged)], "from and to, with the account"),
        .init(
            """
            paymentQueue(_:didRevokeEntitlementsForProductIdentifiers:), \
            didRevokeEntitlementsForProductIdentifiers
            """,
            "", [.event(.entitlementsRevoked)]),
        .init(
            "paymentQueue(_:shouldAddStorePayment:for:), shouldAddStorePayment", "",
            [.event(.transactionsUpdated)], "a purchase made elsewhere comes by reconciliation"),
        .init(
            """
            paymentQueue(_:updatedDownloads:), updatedDownloads, SKDownload, \
            SKPaymentQueue.start(_:), SKPaymentQueue.pause(_:), SKPaymentQueue.resume(_:), \
            SKPaymentQueue.cancel(_:), SKPaymentTransaction.downloads
            """,
            "", [], "content is delivered by the application; the queue carries no files"),
        .init(
            "SKPaymentQueue.presentCodeRedemptionSheet()", "", [],
            "there are no offer codes; what the store grants comes by reconciliation"),
    ]
}
