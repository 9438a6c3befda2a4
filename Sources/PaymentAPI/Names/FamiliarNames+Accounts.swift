import PaymentCore

extension FamiliarNames {
    /// Accounts, their countries, and the questions before a charge.
    static let accounts: [FamiliarName] = [
        .init("", "Onside.requestLogin(completion:)", [.method("login")]),
        .init("", "Onside.logout()", [.method("logout")]),
        .init(
            "SKPaymentQueue.storefront", "OnsidePaymentQueue.storefront, getCurrentStorefront",
            [.method("storefront")]),
        .init(
            "SKStorefront, SKStorefront.identifier", "OnsideStorefront, OnsideStorefront.id",
            [.type("Storefront")], "the id is for showing only"),
        .init(
            "SKStorefront.countryCode", "OnsideStorefront.countryCode",
            [.member("countryCode", of: "Storefront")], "two letters, not three"),
        .init(
            "", "onsideDefaultCountryCodeAssumption()", [.parameter("assume", of: "storefront")],
            """
            the country to assume while no account is in session, returned as assumed; the empty \
            text clears it
            """
        ),
        .init(
            "paymentQueue(_:shouldContinue:in:), shouldContinue",
            "onsidePaymentQueue(_:shouldContinue:in:)",
            [.event(.questionOpened), .method("answer"), .word("shouldContinue")],
            "a question of type shouldContinue; without an answer, the fallback of delegate applies"
        ),
        .init(
            "", "the gate after the login", [.parameter("afterLogin", of: "delegate")],
            "a question of type afterLogin"),
        .init(
            "the payment sheet", "the login screen",
            [.event(.questionOpened), .parameter("agent", of: "subscribe")],
            "questions of type payment and login, to subscriptions that are agents for it"),
        .init(
            """
            paymentQueueShouldShowPriceConsent(_:), shouldShowPriceConsent, \
            SKPaymentQueue.showPriceConsentIfNeeded()
            """,
            "", [.method("test.priceIncrease")],
            "in the sandbox; consent is asked for by the store"),
        .init(
            "", "OnsidePaymentMethodsManagerError, paymentMethodsManager", [],
            "payment methods are kept by the store, on pages of its own"),
        .init(
            "",
            """
            OnsideAttributionMetadata, OnsideAttributionMetadata.refererUrl, \
            OnsideAttributionMetadataError
            """,
            [], "the queue does not record where an application was installed from"),
    ]

    /// Errors of calls, by the names of their cases.
    static let errors: [FamiliarName] = [
        .init(
            "SKError, SKErrorDomain, SKError.Code", "",
            [.member("failureReason", of: "Transaction")],
            "of a failed transaction; a call that is refused has an error of its own"),
        .init(
            "",
            """
            loginDiscarded, OnsideLoginError, OnsidePaymentQueueAddProductError, \
            OnsidePaymentQueueRequestRestoreError
            """,
            [.error(.loginDiscarded)]),
        .init("", "JSPurchaseError, unknownProduct", [.error(.unknownProduct)]),
        .init("", "rejectedAfterLogin", [.error(.rejectedAfterLogin)]),
        .init("", "JSFinishTransactionError, unknownTransaction", [.error(.unknownTransaction)]),
        .init(
            "", "OnsideTransactionsRestoreError",
            [.member("error", of: "Event")],
            """
            of restoreFailed: cancelled, connectionError, appNotRegistered, serviceUnavailable or \
            internalError
            """),
        .init("", "OnsideProductsRequestError", [.error(.invalidProductIdentifier)]),
        .init(
            "", "OnsideSignedInAppsHistoryRequestError, notLoggedIn", [.error(.notLoggedIn)]),
        .init(
            "", "cancelled", [.error(.cancelled), .word("cancelled")],
            "of a call that was cancelled; of a transaction or a restore it is a word"),
        .init("", "connectionError", [.error(.connectionError)]),
        .init("", "serviceUnavailable", [.error(.storeUnavailable)]),
        .init("", "appNotRegistered", [.error(.appNotRegistered)]),
        .init("", "invalidProductIdentifier", [.error(.invalidProductIdentifier)]),
        .init("", "internalError", [.error(.internalError)]),
        .init(
            "", "notSupportedInLocalTesting", [.error(.notSupportedByStore)],
            """
            the reverse: the embedded store signs histories, and only it has test \
            controls
            """),
        .init(
            "", "presentationFailed", [.word("presentationFailed")],
            "the error of a transaction, not of a call"),
        .init("", "OnsideBridgeError", [.error(.invalidRequest)], "the errors of JSON-RPC"),
        .init("", "bridgeDetached", [], "the connection is closed"),
        .init("", "brokenRequest, parametersNotRepresentable", [.error(.parseError)]),
        .init("", "disallowedFrame", [.error(.forbidden)]),
        .init("", "functionNotDefined", [.error(.methodNotFound)]),
        .init("", "invalidArguments", [.error(.invalidParams)]),
        .init("", "cannotSerializeResponse", [.error(.resultTooLarge)], "lists come in pages"),
    ]
}
