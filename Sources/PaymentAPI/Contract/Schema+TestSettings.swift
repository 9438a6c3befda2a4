import PaymentCore
import SandboxControl
import StrictJSON

extension Schema {
    /// The settings of a sandbox.
    static let testSettings = object([
        required("failTransactionsEnabled", flag, "New orders fail with failureError."),
        required(
            "failureError", words(TestSet.failureErrors),
            """
            The error with which new orders fail.
            """),
        required("askToBuyEnabled", flag, "New orders wait for an approval."),
        required(
            "interruptedPurchasesEnabled", flag, "Every purchase is interrupted and fails."),
        required(
            "timeRate", TestSet.timeRate.schema,
            """
            The speed of the sandbox's clock for subscriptions.
            """),
        optional(
            "storefront", ["type": "string", "pattern": "^[A-Z]{2}$"],
            "The country of every account; absent if none was set."),
        required("paymentsAllowed", flag, "Whether accounts may make payments."),
        optional("locale", text, "The locale of product texts; absent if none was set."),
        required(
            "billingGracePeriodIsEnabled", flag,
            "A subscription whose renewal was not paid stays active for a grace period."),
        required(
            "shouldEnterBillingRetryOnRenewal", flag, "Renewals are not paid until resolved."),
        required("simulatedErrors", simulatedErrors, "The simulated error of each call, or null."),
        required("latencyMs", count, "The delay of every answer, in milliseconds."),
        required("storeDown", flag, "The store does not answer."),
    ])

    private static let simulatedErrors = object(
        SimulatedCall.allCases.map { call in
            required(
                call.wireWord,
                nullable(words(StoreFailure.Kind.allCases.map(\.wireWord))),
                "The error with which the call fails.")
        })
}
