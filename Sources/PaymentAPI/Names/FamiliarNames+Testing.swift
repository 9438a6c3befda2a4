extension FamiliarNames {
    /// The testing of purchases without charges.
    static let testing: [FamiliarName] = [
        .init(
            "SKTestSession, SKTestSession.init(configurationFileNamed:), .storekit",
            "Onside.initialize(storeKitConfigurationName:), storeKitConfigurationName",
            [.place("payqueued --catalog"), .method("test.get")]),
        .init("SKTestTransaction, SKTestSession.allTransactions()", "", [.method("test.orders")]),
        .init("SKTestSession.resetToDefaultState()", "", [.method("test.reset")]),
        .init("SKTestSession.clearTransactions()", "", [.method("test.clear")]),
        .init("SKTestSession.deleteTransaction(identifier:)", "", [.method("test.deleteOrder")]),
        .init(
            "SKTestSession.storefront", "", [.parameter("storefront", of: "test.set")],
            "two or three letters"),
        .init("SKTestSession.locale", "", [.parameter("locale", of: "test.set")]),
        .init(
            "SKTestSession.disableDialogs", "", [],
            "there are no dialogs; without an agent no question is asked"),
        .init(
            "SKTestSession.failTransactionsEnabled", "",
            [.parameter("failTransactionsEnabled", of: "test.set")]),
        .init(
            "SKTestSession.failureError", "", [.parameter("failureError", of: "test.set")]),
        .init(
            "SKTestSession.setSimulatedError(_:forAPI:), SKTestSession.simulatedError(forAPI:)", "",
            [.parameter("simulatedErrors", of: "test.set")]),
        .init(
            "SKTestSession.interruptedPurchasesEnabled", "",
            [.parameter("interruptedPurchasesEnabled", of: "test.set")]),
        .init(
            "SKTestSession.resolveIssueForTransaction(identifier:)", "", [.method("test.resolve")]),
        .init(
            "SKTestSession.askToBuyEnabled", "", [.parameter("askToBuyEnabled", of: "test.set")]),
        .init(
            """
            SKTestSession.approveAskToBuyTransaction(identifier:), \
            SKTestSession.declineAskToBuyTransaction(identifier:)
            """,
            "", [.method("decide")]),
        .init(
            "SKTestSession.timeRate, SKTestSession.TimeRate", "",
            [.parameter("timeRate", of: "test.set"), .method("test.clock.advance")]),
        .init(
            "SKTestSession.forceRenewalOfSubscription(productIdentifier:)", "",
            [.method("test.renew")]),
        .init(
            "SKTestSession.expireSubscription(productIdentifier:)", "", [.method("test.expire")]),
        .init(
            """
            SKTestSession.enableAutoRenewForTransaction(identifier:), \
            SKTestSession.disableAutoRenewForTransaction(identifier:)
            """,
            "", [.method("test.autoRenew")]),
        .init(
            "SKTestSession.shouldEnterBillingRetryOnRenewal", "",
            [.parameter("shouldEnterBillingRetryOnRenewal", of: "test.set")]),
        .init(
            "SKTestSession.billingGracePeriodIsEnabled", "",
            [.parameter("billingGracePeriodIsEnabled", of: "test.set")]),
        .init(
            """
            SKTestSession.requestPriceIncreaseConsentForTransaction(identifier:), \
            SKTestSession.consentToPriceIncreaseForTransaction(identifier:), \
            SKTestSession.declinePriceIncreaseForTransaction(identifier:)
            """,
            "", [.method("test.priceIncrease")]),
        .init("SKTestSession.buyProduct(identifier:)", "", [.method("test.buy")]),
        .init(
            "SKTestSession.refundTransaction(identifier:)", "", [.method("test.refund")]),
        .init(
            "SKTestError", "", [.error(.noSuchOrder), .error(.unknownProduct)],
            "of the test controls"),
    ]
}
