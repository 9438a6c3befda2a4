public import PaymentCore
import StrictJSON

/// `test.set`: change how the sandbox behaves.
public enum TestSet: Method {
    /// The settings in force afterwards.
    public typealias Result = TestGet.Result

    /// The settings to change.
    public struct Params: Sendable, Hashable {
        /// The settings that are given.
        public var change: StoreTestSettingsChange
    }

    /// The ways to fail: what a person does, what a bank does, and StoreKit's five.
    static let failureErrors = [
        "cancelled", "declined", "presentationFailed", "unknown", "invalidOfferIdentifier",
        "invalidSignature", "missingOfferParams", "invalidOfferPrice",
    ]

    /// Apple's numbers, and a month of any length from a second to one of the calendar.
    static let timeRate = ParameterShape.either(
        .number(oneOf: [0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 15]),
        .record([
            .required("monthSeconds", .integer(1...2_678_400), "The length of a month, in seconds.")
        ]))

    /// Every call with the failures that it can be given; null disarms it.
    private static let simulatedErrors = ParameterShape.record([
        simulated("products", .products), simulated("purchase", .purchase),
        simulated("completion", .completion), simulated("restore", .restore),
        simulated("reconciliation", .reconciliation), simulated("history", .history),
        simulated("login", .login),
    ])

    private static func simulated(_ name: StaticString, _ call: SimulatedCall) -> ParameterSpec {
        .optional(
            name, .nullable(.word(call.failures.map(\.wireWord))),
            """
            The error with which the call fails; null for none.
            """)
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "test.set",
        summary: "Change the settings of the sandbox",
        description: """
            Changes the given settings durably and keeps the others; the result shows all \
            settings. Only for the sandbox.
            """,
        parameters: [
            .optional("failTransactionsEnabled", .flag, "New orders fail with failureError."),
            .optional(
                "failureError", .word(failureErrors),
                """
                The error with which new orders fail.
                """),
            .optional("askToBuyEnabled", .flag, "New orders wait for an approval."),
            .optional(
                "interruptedPurchasesEnabled", .flag,
                """
                Every purchase is interrupted and fails; test.resolve completes it as a new \
                transaction.
                """),
            .optional(
                "timeRate", timeRate,
                """
                The speed of the sandbox's clock for subscriptions: Apple's number, or the length \
                of a month.
                """),
            .optional("storefront", .country, "The country of every account."),
            .optional("paymentsAllowed", .flag, "Whether accounts may make payments."),
            .optional(
                "locale", .text(maximumBytes: 64), "The locale of product texts, such as en_US."),
            .optional(
                "billingGracePeriodIsEnabled", .flag,
                "A subscription whose renewal was not paid stays active for a grace period."),
            .optional(
                "shouldEnterBillingRetryOnRenewal", .flag,
                "Renewals are not paid until test.resolve."),
            .optional("simulatedErrors", simulatedErrors, "The simulated error of each call."),
            .optional(
                "latencyMs", .integer(0...600_000), "The delay of every answer, in milliseconds."),
            .optional("storeDown", .flag, "The store does not answer."),
        ],
        resultSchema: Schema.reference("TestSettings"),
        errors: [.notSupportedByStore, .notDurable],
        role: .admin,
        example: .init(
            params: ["failTransactionsEnabled": true, "failureError": "declined"],
            result: Result(settings: StoreTestSettings(failTransactionsEnabled: true))))

    private enum Place: Int, ParameterPlace {
        case failTransactionsEnabled, failureError, askToBuyEnabled, interruptedPurchasesEnabled
        case timeRate, storefront, paymentsAllowed, locale, billingGracePeriodIsEnabled
        case shouldEnterBillingRetryOnRenewal, simulatedErrors, latencyMs, storeDown
    }

    /// Takes what to change.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        var change = StoreTestSettingsChange()
        change.failTransactionsEnabled = arguments.flag(Place.failTransactionsEnabled)
        change.failureError = arguments.text(Place.failureError, in: bytes)?.string
        change.askToBuyEnabled = arguments.flag(Place.askToBuyEnabled)
        change.interruptedPurchasesEnabled = arguments.flag(Place.interruptedPurchasesEnabled)
        change.timeRate = takeTimeRate(arguments, in: bytes)
        change.storefront = arguments.text(Place.storefront, in: bytes)
            .flatMap { Countries.code($0.string) }
        change.paymentsAllowed = arguments.flag(Place.paymentsAllowed)
        change.locale = arguments.text(Place.locale, in: bytes)
        change.billingGracePeriodIsEnabled = arguments.flag(Place.billingGracePeriodIsEnabled)
        change.shouldEnterBillingRetryOnRenewal = arguments.flag(
            Place.shouldEnterBillingRetryOnRenewal)
        change.simulatedErrors = takeSimulatedErrors(arguments, in: bytes)
        change.latencyMs = arguments.integer(Place.latencyMs, in: bytes)
        change.storeDown = arguments.flag(Place.storeDown)
        return Params(change: change)
    }

    private static func takeTimeRate(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) -> TimeRate? {
        if let number = arguments.integer(Place.timeRate, in: bytes) { return .apple(number) }
        return arguments.memberInteger("monthSeconds", of: Place.timeRate, in: bytes)
            .map { .monthSeconds($0) }
    }

    private static func takeSimulatedErrors(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) -> [SimulatedCall: StoreFailure.Kind?]? {
        guard let members = arguments.nullableTexts(Place.simulatedErrors, in: bytes) else {
            return nil
        }
        var errors: [SimulatedCall: StoreFailure.Kind?] = [:]
        for (name, word) in members {
            guard let call = SimulatedCall.allCases.first(where: { $0.wireWord == name }) else {
                continue
            }
            let kind = StoreFailure.Kind.allCases.first { $0.wireWord == word }
            errors.updateValue(kind, forKey: call)
        }
        return errors
    }
}
