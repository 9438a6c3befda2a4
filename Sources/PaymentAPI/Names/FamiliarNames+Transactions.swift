import PaymentCore

extension FamiliarNames {
    /// Payments and transactions.
    static let transactions: [FamiliarName] = [
        .init(
            """
            SKPayment, SKMutablePayment, SKPayment.init(product:), \
            SKMutablePayment.init(product:)
            """,
            "OnsidePayment, OnsidePayment.init(product:)",
            [.parameter("product", of: "add"), .type("Payment")],
            "a payment is the parameters of one call"),
        .init(
            "SKPayment.productIdentifier", "payment.productIdentifier",
            [.parameter("product", of: "add")]),
        .init(
            """
            SKPayment.applicationUsername, Transaction.appAccountToken, \
            Product.PurchaseOption.appAccountToken(_:)
            """,
            "OnsidePayment.appAccountToken",
            [
                .parameter("appAccountToken", of: "add"),
                .member("appAccountToken", of: "Payment"), .place("payqueuectl buy --token"),
            ],
            "any text of up to 256 bytes"),
        .init(
            """
            SKPayment.quantity, SKMutablePayment.quantity, Product.PurchaseOption.quantity(_:)
            """, "", [],
            "a payment is for one piece; add several payments, each with its own key"),
        .init(
            "SKPayment.requestData, SKPayment.paymentDiscount, SKPaymentDiscount", "", [],
            "the store decides which offer applies"),
        .init(
            "SKPayment.simulatesAskToBuyInSandbox", "",
            [.parameter("askToBuyEnabled", of: "test.set")]),
        .init(
            "SKPaymentTransaction, Transaction",
            "OnsidePaymentTransaction, JSPaymentTransaction",
            [.type("Transaction"), .method("transactions")], "a snapshot; its id never changes"),
        .init(
            "", "OnsidePaymentTransaction.id, OnsidePaymentTransaction.isSame(as:)",
            [.member("id", of: "Transaction"), .parameter("transaction", of: "finish")],
            "two snapshots with the same id describe the same transaction"),
        .init(
            "SKPaymentTransaction.transactionIdentifier, Transaction.id",
            "OnsidePaymentTransaction.transactionIdentifier",
            [.member("transactionIdentifier", of: "Transaction")],
            "the order at the store, once there is one; calls take the id of the transaction"),
        .init(
            "SKPaymentTransaction.original, Transaction.originalID",
            "OnsidePaymentTransaction.originalTransactionIdentifier",
            [.member("originalTransactionIdentifier", of: "Transaction")],
            "the first order of its chain"),
        .init(
            "SKPaymentTransaction.payment", "OnsidePaymentTransaction.payment",
            [.member("payment", of: "Transaction")]),
        .init(
            "", "payment.product, OnsidePaymentTransaction.product",
            [.member("product", of: "Payment")], "the product as it was sold"),
        .init(
            "SKPaymentTransaction.transactionState, SKPaymentTransactionState",
            "OnsidePaymentTransaction.transactionState, OnsidePaymentTransactionState",
            [.member("transactionState", of: "Transaction")]),
        .init(
            "SKPaymentTransaction.error", "OnsidePaymentTransaction.error",
            [.member("error", of: "Transaction"), .member("failureReason", of: "Transaction")]),
        .init(
            "SKPaymentTransaction.transactionDate, Transaction.purchaseDate", "",
            [.member("createdAt", of: "Transaction"), .purchaseField("purchase_date")],
            "the queue's time and the store's"),
        .init(
            """
            SKPaymentTransaction.transactionReceipt, Bundle.appStoreReceiptURL, \
            SKReceiptRefreshRequest
            """,
            "", [.method("signedHistory")], "one signed history instead of receipts"),
        .init(
            "", "OnsidePaymentTransaction.storefront",
            [.member("storefront", of: "Transaction")]),
    ]

    /// The states of transactions and the causes of failures.
    static let states: [FamiliarName] = [
        .init(
            "SKPaymentTransactionState.purchasing", "OnsidePaymentTransactionState.purchasing",
            [.word("purchasing")], "waitingFor names what it needs"),
        .init(
            "SKPaymentTransactionState.deferred, Product.PurchaseResult.pending", "",
            [.word("purchasing"), .word("approval")],
            "a purchasing transaction with waitingFor approval; decide ends it in the sandbox"),
        .init(
            "SKPaymentTransactionState.purchased, Product.PurchaseResult.success",
            "OnsidePaymentTransactionState.purchased", [.word("purchased")]),
        .init(
            "SKPaymentTransactionState.restored", "OnsidePaymentTransactionState.restored",
            [.word("restored")]),
        .init(
            "SKPaymentTransactionState.failed", "OnsidePaymentTransactionState.failed",
            [.word("failed")],
            """
            error and failureReason give the reason; a failed transaction must be finished, too
            """),
        .init(
            "@unknown default", "", [],
            "ignore unknown states, kinds and members"),
        .init(
            "SKError.paymentCancelled, Product.PurchaseResult.userCancelled",
            "OnsidePaymentTransactionError.cancelled", [.word("cancelled")],
            "the error of a transaction that a person cancelled or refused"),
        .init(
            "", "OnsidePaymentTransactionError",
            [.member("error", of: "Transaction")], "one case name with an empty object"),
        .init(
            "", "OnsidePaymentTransactionError.presentationFailed", [.word("presentationFailed")],
            "the error of a transaction whose payment agents were gone or did not answer"),
        .init(
            "SKError.storeProductNotAvailable", "", [.word("productNotAvailable")],
            "a failureReason; at add it is the error unknownProduct"),
        .init(
            "SKError.paymentNotAllowed", "", [.error(.paymentsNotAllowed)],
            "before anything is added"),
        .init(
            "SKError.unknown", "", [.word("unknown")], "a failureReason"),
        .init(
            "SKError.invalidOfferIdentifier", "", [.word("invalidOfferIdentifier")],
            "a failureReason"),
        .init("SKError.invalidSignature", "", [.word("invalidSignature")], "a failureReason"),
        .init(
            "SKError.missingOfferParams", "", [.word("missingOfferParams")], "a failureReason"),
        .init("SKError.invalidOfferPrice", "", [.word("invalidOfferPrice")], "a failureReason"),
        .init(
            """
            SKError.clientInvalid, SKError.cloudServicePermissionDenied, \
            SKError.unauthorizedRequestData
            """,
            "", [.error(.forbidden)], "roles decide who may buy"),
        .init("SKError.paymentInvalid", "", [.error(.invalidParams)]),
        .init(
            "SKError.cloudServiceNetworkConnectionFailed", "", [.error(.connectionError)],
            "a purchase waits while the store cannot be reached"),
        .init(
            "SKError.cloudServiceRevoked", "", [.event(.storefrontChanged)],
            "a session that the store has ended is handled like a logout"),
        .init(
            "SKError.ineligibleForOffer", "", [],
            "the store decides which offer applies"),
        .init(
            """
            SKError.privacyAcknowledgementRequired, SKError.overlayCancelled, \
            SKError.overlayInvalidConfiguration, SKError.overlayTimeout, \
            SKError.overlayPresentedInBackgroundScene, SKError.unsupportedPlatform, \
            SKError.paymentMethodBindingConfigurationRequired
            """,
            "", [], "these concern screens and devices; the daemon has neither"),
    ]
}
