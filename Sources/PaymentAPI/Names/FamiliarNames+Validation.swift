extension FamiliarNames {
    /// The validation of purchases by publishers.
    static let validation: [FamiliarName] = [
        .init(
            "", "Onside.makeSignedInAppsHistoryRequest(), getSignedInAppsHistory",
            [.method("signedHistory")]),
        .init(
            "", "OnsideSignedInAppsHistoryRequest, OnsideSignedInAppsHistoryRequest.start()",
            [.method("signedHistory")], "the call starts it"),
        .init(
            "", "OnsideSignedInAppsHistoryRequest.stop()", [.method("cancel")],
            "closing the connection does the same"),
        .init(
            "",
            "OnsideSignedInAppsHistoryRequestDelegate, OnsideSignedInAppsHistoryRequest.delegate",
            [.method("signedHistory")], "a reply or an error, no delegate"),
        .init(
            "",
            """
            OnsideSignedInAppsHistory, OnsideSignedInAppsHistory.string, \
            OnsideSignedInAppsHistory.data, dataBase64, JWS
            """,
            [.member("jws", of: "signedHistory")], "a compact JWS is ASCII"),
        .init(
            "", "Merchant ID, sub", [.place("payqueue-store merchant add")],
            "merchant in its output"),
        .init(
            "", "Merchant Secret, HS256",
            [.place("payqueue-store merchant add"), .place("payqueue-store merchant rotate")],
            "shown once"),
        .init(
            "", "Secret Key ID, kid",
            [.place("payqueue-store merchant add"), .place("payqueue-store merchant list")],
            "kid in their output"),
        .init(
            "", "Merchant JWT, JWT, Authorization, alg, aud, iss, nbf, exp, jti",
            [.place("payqueuectl merchant history")],
            """
            makes such a token; Authorization is Bearer and the token, good for 30 seconds at \
            most and once
            """),
        .init(
            "", "/merchant-api/v1/purchases/in-app/history/{order_id}",
            [.place("/merchant-api/v1/purchases/in-app/history/{order_id}")],
            "of payqueue-store"),
        .init(
            "", "https://onside.io/.well-known/jwks.json, JWKS",
            [.place("/.well-known/jwks.json"), .method("keys")], "of payqueue-store"),
        .init(
            "", "TransactionHistory, TransactionHistory.transactions, InAppPurchase",
            [.method("signedHistory")],
            "the payload, with the schema of clients/transaction-history.schema.json"),
        .init("", "order_id", [.purchaseField("order_id")], "transactionIdentifier in the queue"),
        .init(
            "", "original_order_id", [.purchaseField("original_order_id")],
            "originalTransactionIdentifier in the queue"),
        .init(
            "", "app_account_token", [.purchaseField("app_account_token")],
            "appAccountToken in the queue"),
        .init("", "product_id", [.purchaseField("product_id")], "productIdentifier in the queue"),
        .init("", "product_slug", [.purchaseField("product_slug")]),
        .init("", "bundle_id", [.purchaseField("bundle_id")]),
        .init("", "currency", [.purchaseField("currency")]),
        .init(
            "", "InAppPurchase.price", [.purchaseField("price")],
            "in the smallest unit of the currency"),
        .init("", "expires_at", [.purchaseField("expires_at")]),
        .init("", "original_purchase_date", [.purchaseField("original_purchase_date")]),
        .init("", "purchase_date", [.purchaseField("purchase_date")]),
        .init(
            "", "product_type, InAppProductType", [.purchaseField("product_type")],
            "CONSUMABLE, NON_CONSUMABLE, SUBSCRIPTION or NON_RENEWING_SUBSCRIPTION"),
        .init("", "SUBSCRIPTION", [.word("autoRenewableSubscription")]),
        .init("", "NON_RENEWING_SUBSCRIPTION", [.word("nonRenewingSubscription")]),
        .init("", "NON_CONSUMABLE", [.word("nonConsumable")]),
        .init("", "CONSUMABLE", [.word("consumable")]),
        .init(
            "", "quantity", [.purchaseField("quantity")],
            "always 1; a payment is for one piece, add several"),
        .init("", "revocation_date", [.purchaseField("revocation_date")]),
        .init(
            "", "revocation_reason, RevocationReason, Refund",
            [.purchaseField("revocation_reason")]),
        .init("", "fetched_at", [.purchaseField("fetched_at")]),
        .init("", "subscription_id", [.purchaseField("subscription_id")]),
        .init(
            "", "transaction_reason, RENEWAL",
            [.purchaseField("transaction_reason"), .member("reason", of: "Transaction")],
            "PURCHASE or RENEWAL there, purchase or renewal in the queue"),
        .init("", "user_country", [.purchaseField("user_country")]),
    ]
}
