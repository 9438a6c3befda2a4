import PaymentCore

extension FamiliarNames {
    /// Products and their prices.
    static let products: [FamiliarName] = [
        .init(
            """
            SKProductsRequest, SKProductsRequest.init(productIdentifiers:), \
            Product.products(for:)
            """,
            "Onside.makeProductsRequest(productIdentifiers:), OnsideProductsRequest, loadProducts",
            [.method("products")], "the reply is the response"),
        .init(
            """
            SKProductsRequestDelegate, SKRequestDelegate, SKRequest, \
            productsRequest(_:didReceive:), requestDidFinish(_:), request(_:didFailWithError:)
            """,
            "OnsideProductsRequestDelegate", [.method("products")],
            "a reply or an error, no delegate"),
        .init("SKRequest.start()", "OnsideProductsRequest.start()", [], "the call starts it"),
        .init("SKRequest.cancel()", "OnsideProductsRequest.stop()", [.method("cancel")]),
        .init(
            "SKProductsResponse, SKProductsResponse.products",
            "OnsideProductsResponse, OnsideProductsResponse.products",
            [.member("products", of: "products")]),
        .init(
            "SKProductsResponse.invalidProductIdentifiers",
            "OnsideProductsResponse.invalidProductIdentifiers",
            [.member("invalid", of: "products")]),
        .init("SKProduct", "OnsideProduct, JSProduct", [.type("Product"), .method("products")]),
        .init(
            "SKProduct.productIdentifier, Transaction.productID", "OnsideProduct.productIdentifier",
            [
                .member("productIdentifier", of: "Product"), .parameter("product", of: "add"),
                .parameter("ids", of: "products"),
            ]),
        .init(
            "SKProduct.localizedTitle", "OnsideProduct.localizedTitle",
            [.member("localizedTitle", of: "Product")]),
        .init(
            "SKProduct.localizedDescription", "OnsideProduct.localizedDescription",
            [.member("localizedDescription", of: "Product")]),
        .init("", "OnsideProduct.iconUrl", [.member("iconUrl", of: "Product")]),
        .init(
            "SKProduct.price, Product.price, Product.displayPrice",
            "OnsideProduct.price, OnsidePrice, OnsidePrice.value",
            [.member("price", of: "Product"), .type("Price")],
            "amount is the exact text, value the same digits as a number"),
        .init(
            "SKProduct.priceLocale", "OnsidePrice.currencyCode",
            [.member("currencyCode", of: "Price")], "how it is shown is up to the application"),
        .init(
            """
            SKProduct.subscriptionPeriod, SKProductSubscriptionPeriod, \
            SKProductSubscriptionPeriod.unit, SKProductSubscriptionPeriod.numberOfUnits, \
            SKProduct.PeriodUnit
            """,
            """
            OnsideProduct.subscriptionPeriod, OnsidePeriod, OnsidePeriod.unit, \
            OnsidePeriod.numberOfUnits
            """,
            [.member("subscriptionPeriod", of: "Product"), .type("Period")]),
        .init(
            "SKProduct.subscriptionGroupIdentifier", "OnsideProduct.subscriptionGroupIdentifier",
            [.member("subscriptionGroupIdentifier", of: "Product")]),
        .init(
            "SKProduct.introductoryPrice, SKProductDiscount",
            """
            OnsideProduct.introductoryPrice, OnsidePricePeriod, OnsidePricePeriod.price, \
            OnsidePricePeriod.period
            """,
            [.member("introductoryPrice", of: "Product"), .type("Offer")]),
        .init(
            "SKProduct.discounts", "OnsideProduct.discountedPrice",
            [.member("discountedPrice", of: "Product")]),
        .init(
            """
            SKProductDiscount.paymentMode, SKProductDiscount.numberOfPeriods, \
            SKProductDiscount.identifier, SKProductDiscount.type
            """,
            "", [], "the catalogue of the store defines how an offer is charged"),
        .init("Product.type", "", [.member("type", of: "Product")]),
        .init(
            "SKProduct.isFamilyShareable, Transaction.ownershipType", "", [],
            "an account is one person; there is no sharing"),
        .init(
            """
            SKProduct.isDownloadable, SKProduct.contentVersion, SKProduct.downloadContentLengths, \
            SKProduct.downloadContentVersion
            """,
            "", [], "content is delivered by the application"),
    ]

    /// StoreKit 2 names without an equivalent in older versions.
    static let storeKit2: [FamiliarName] = [
        .init("Transaction.updates", "", [.method("subscribe")]),
        .init("Transaction.unfinished", "", [.method("transactions")]),
        .init(
            """
            Transaction.currentEntitlements, Transaction.currentEntitlement(for:), \
            Transaction.latest(for:)
            """,
            "", [.method("entitlements")]),
        .init("Transaction.all", "", [.method("signedHistory")]),
        .init("Transaction.finish()", "", [.method("finish")]),
        .init("Transaction.originalPurchaseDate", "", [.purchaseField("original_purchase_date")]),
        .init("Transaction.expirationDate", "", [.purchaseField("expires_at")]),
        .init(
            "Transaction.revocationDate", "",
            [
                .member("revocation", of: "Transaction"), .purchaseField("revocation_date"),
                .event(.entitlementsRevoked),
            ]),
        .init(
            "Transaction.revocationReason", "",
            [
                .member("revocation", of: "Transaction"), .purchaseField("revocation_reason"),
            ]),
        .init(
            "Transaction.offerType, Transaction.price, Transaction.currency", "",
            [.member("charged", of: "Transaction"), .member("offer", of: "Transaction")]),
        .init(
            "Transaction.isUpgraded, Transaction.environment", "", [],
            "an upgrade ends the order before it, as its expires_at says"),
        .init(
            """
            Transaction.jwsRepresentation, VerificationResult, VerificationResult.verified, \
            VerificationResult.unverified
            """,
            "", [.method("signedHistory"), .method("keys")],
            "the receiver verifies the history with the keys of the store"),
        .init("Product.purchase(options:)", "", [.method("add")]),
        .init(
            "Product.PurchaseResult", "", [.method("wait")],
            "the events of a subscription carry the same"),
        .init("AppStore.sync()", "", [.method("restore")]),
        .init("Storefront.current", "", [.method("storefront")]),
        .init("Storefront.updates", "", [.event(.storefrontChanged)]),
        .init(
            """
            Product.SubscriptionInfo, Product.SubscriptionInfo.Status, \
            Product.SubscriptionInfo.RenewalInfo
            """,
            "", [.method("entitlements")], "an active subscription is among them"),
        .init(
            "Product.SubscriptionInfo.isEligibleForIntroOffer", "",
            [.member("introductoryOfferEligible", of: "Product")]),
        .init(
            "Transaction.beginRefundRequest(in:), AppStore.showManageSubscriptions(in:)", "",
            [.method("test.refund"), .method("test.autoRenew")],
            "only in the sandbox; a store has pages of its own"),
        .init("AppTransaction, AppTransaction.shared", "", [], "the queue sells no applications"),
    ]
}
