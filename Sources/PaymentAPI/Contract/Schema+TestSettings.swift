import PaymentCore
import StrictJSON

extension Schema {
    /// The settings of a sandbox.
    static let testSettings = object([
        required("failTransactionsEnabled", flag, "New orders fail with failureError."),
        required("failureError", words(TestSet.failureErrors), "How they fail."),
        required("askToBuyEnabled", flag, "New orders wait for an approval."),
        required(
            "interruptedPurchasesEnabled", flag, "Every purchase is interrupted and fails."),
        required("timeRate", TestSet.timeRate.schema, "How fast subscriptions live."),
        optional(
            "storefront", ["type": "string", "pattern": "^[A-Z]{2}$"],
            "The country of every account, if one was set."),
        required("paymentsAllowed", flag, "Whether the accounts may buy."),
        optional("locale", text, "Which texts products have, if one was set."),
        required(
            "billingGracePeriodIsEnabled", flag,
            "A subscription that was not renewed goes on for a while."),
        required(
            "shouldEnterBillingRetryOnRenewal", flag, "Renewals are not paid until resolved."),
        required("simulatedErrors", simulatedErrors, "The error of each call, or null."),
        required("latencyMs", count, "How long every answer takes, in milliseconds."),
        required("storeDown", flag, "Nothing is answered."),
    ])

    private static let simulatedErrors = object(
        SimulatedCall.allCases.map { call in
            required(
                call.wireWord,
                nullable(words(StoreFailure.Kind.allCases.map(\.wireWord))),
                "What it fails with.")
        })
}
