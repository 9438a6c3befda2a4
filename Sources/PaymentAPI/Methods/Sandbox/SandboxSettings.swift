import PaymentCore
public import SandboxControl
import StrictJSON

/// `test.get`: show the settings of the sandbox.
public enum TestGet: Method {
    /// The method has no parameters.
    public typealias Params = NoParameters

    /// The current settings.
    public struct Result: WireResult, Hashable {
        /// The settings.
        public var settings: StoreTestSettings

        /// Creates a result.
        public init(settings: StoreTestSettings) {
            self.settings = settings
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.get",
        summary: "Show the settings of the sandbox",
        description: "Returns the settings that test.set changes.",
        errors: [.notDurable],
        example: Result(settings: StoreTestSettings()))
}

/// `test.set`: change settings of the sandbox.
public enum TestSet: Method {
    /// All settings after the change.
    public typealias Result = TestGet.Result

    /// A change of settings.
    public struct Params: ParameterRecord {
        /// The settings to change.
        public var change = StoreTestSettingsChange()

        /// Creates parameters that change nothing.
        public init() {}
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.set",
        summary: "Change the settings of the sandbox",
        description: """
            Changes the given settings durably and keeps the others; the result shows all \
            settings.
            """,
        errors: [.notDurable],
        example: Result(settings: StoreTestSettings(failTransactionsEnabled: true)))

    /// The simulated failures: of a person, of a bank, and StoreKit's five.
    fileprivate static let failureErrors = [
        "cancelled", "declined", "presentationFailed", "unknown", "invalidOfferIdentifier",
        "invalidSignature", "missingOfferParams", "invalidOfferPrice",
    ]
}

/// `test.reset`: reset all settings to those of the catalogue.
public enum TestReset: ControlMethod {
    /// The method has no parameters.
    public typealias Params = NoParameters

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.reset",
        summary: "Reset all settings of the sandbox",
        description: "Orders stay; test.clear deletes them.",
        errors: [.notDurable], result: OrderResult.nothing, example: OrderResult(order: nil))

    /// Requests the reset.
    public static func request(_ params: Params) -> ControlRequest { .run(.reset) }
}

extension TestGet.Result {
    /// The form of the settings.
    public static let form = ResultForm<Self>.component(
        "TestSettings",
        [
            .required(
                "failTransactionsEnabled", \.settings.failTransactionsEnabled, .flag,
                "New orders fail with failureError."),
            .required(
                "failureError", \.settings.failureError,
                ResultForm(Schema.words(TestSet.failureErrors)) { $1.string($0) },
                "The error with which new orders fail."),
            .required(
                "askToBuyEnabled", \.settings.askToBuyEnabled, .flag,
                "New orders wait for an approval."),
            .required(
                "interruptedPurchasesEnabled", \.settings.interruptedPurchasesEnabled, .flag,
                "Every purchase is interrupted and fails."),
            .required(
                "timeRate", \.settings.timeRate, TimeRate.resultForm,
                "The speed of the sandbox's clock for subscriptions."),
            .optional(
                "storefront", \.settings.storefront, .country,
                "The country of every account; absent if none was set."),
            .required(
                "paymentsAllowed", \.settings.paymentsAllowed, .flag,
                "Whether accounts may make payments."),
            .optional(
                "locale", \.settings.locale, .opaque,
                "The locale of product texts; absent if none was set."),
            .required(
                "billingGracePeriodIsEnabled", \.settings.billingGracePeriodIsEnabled, .flag,
                "A subscription whose renewal was not paid stays active for a grace period."),
            .required(
                "shouldEnterBillingRetryOnRenewal", \.settings.shouldEnterBillingRetryOnRenewal,
                .flag, "Renewals are not paid until resolved."),
            .required(
                "simulatedErrors", \.settings.simulatedErrors,
                .object(
                    SimulatedCall.allCases.map { call in
                        .required(
                            call.rawValue, { $0[call] }, .nullable(.word),
                            "The error with which the call fails.")
                    }), "The simulated error of each call, or null."),
            .required(
                "latencyMs", \.settings.latencyMs, .count,
                "The delay of every answer, in milliseconds."),
            .required("storeDown", \.settings.storeDown, .flag, "The store does not answer."),
        ])
}

extension TestSet.Params {
    /// The settings that a call can change.
    public static let parameters: [Parameter<Self>] = [
        .optional(
            "failTransactionsEnabled", \.change.failTransactionsEnabled, .flag,
            "New orders fail with failureError.", example: true),
        .optional(
            "failureError", \.change.failureError, .word(of: TestSet.failureErrors),
            "The error with which new orders fail.", example: "declined"),
        .optional(
            "askToBuyEnabled", \.change.askToBuyEnabled, .flag, "New orders wait for an approval."),
        .optional(
            "interruptedPurchasesEnabled", \.change.interruptedPurchasesEnabled, .flag,
            """
            Every purchase is interrupted and fails; test.resolve completes it as a new \
            transaction.
            """),
        .optional(
            "timeRate", \.change.timeRate, TimeRate.parameterForm,
            """
            The speed of the sandbox's clock for subscriptions: Apple's number, or the length \
            of a month.
            """),
        .defaulted(
            "storefront", \.change.storefront,
            ParameterForm(.country) { Countries.code($1.text($0, in: $2)) },
            "The country of every account."),
        .optional(
            "paymentsAllowed", \.change.paymentsAllowed, .flag,
            "Whether accounts may make payments."),
        .optional(
            "locale", \.change.locale, .text(maximumBytes: 64),
            "The locale of product texts, such as en_US."),
        .optional(
            "billingGracePeriodIsEnabled", \.change.billingGracePeriodIsEnabled, .flag,
            "A subscription whose renewal was not paid stays active for a grace period."),
        .optional(
            "shouldEnterBillingRetryOnRenewal", \.change.shouldEnterBillingRetryOnRenewal, .flag,
            "Renewals are not paid until test.resolve."),
        .optional(
            "simulatedErrors", \.change.simulatedErrors, simulatedErrors,
            "The simulated error of each call."),
        .optional(
            "latencyMs", \.change.latencyMs, .integer(0...600_000),
            "The delay of every answer, in milliseconds."),
        .optional("storeDown", \.change.storeDown, .flag, "The store does not answer."),
    ]

    /// The failures to simulate, by call of the store; null removes one.
    private static let simulatedErrors: ParameterForm<[SimulatedCall: StoreFailure.Kind?]> = {
        func simulated(_ name: StaticString, _ call: SimulatedCall) -> ParameterSpec {
            .optional(
                name, .nullable(.word(call.failures.map(\.rawValue))),
                "The error with which the call fails; null for none.")
        }
        let calls = [
            simulated("products", .products), simulated("purchase", .purchase),
            simulated("completion", .completion), simulated("restore", .restore),
            simulated("reconciliation", .reconciliation), simulated("history", .history),
            simulated("login", .login),
        ]
        let error = ParameterForm<StoreFailure.Kind>.word
        return ParameterForm(.record(calls)) { token, tape, bytes in
            var errors: [SimulatedCall: StoreFailure.Kind?] = [:]
            for name in tape.children(of: token) {
                let word = tape.text(name, in: bytes)
                guard let call = SimulatedCall.allCases.first(where: { $0.rawValue == word })
                else { continue }
                let isNone = tape.tokens[name + 1].kind == .null
                errors.updateValue(
                    isNone ? nil : error.read(name + 1, tape, bytes), forKey: call)
            }
            return errors
        }
    }()
}

extension TimeRate {
    /// A number of Apple's rates, or the length of a month from one second to 31 days.
    private static let shape = ParameterShape.either(
        .number(oneOf: [0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 15]),
        .record([
            .required("monthSeconds", .integer(1...2_678_400), "The length of a month, in seconds.")
        ]))

    fileprivate static let parameterForm = ParameterForm<TimeRate>(shape) { token, tape, bytes in
        guard let month = tape.member("monthSeconds", of: token, in: bytes) else {
            return .apple(Int(tape.integer(token, in: bytes) ?? 0))
        }
        return .monthSeconds(Int(tape.integer(month, in: bytes) ?? 1))
    }

    fileprivate static let resultForm = ResultForm<TimeRate>(shape.schema) { rate, writer in
        switch rate {
        case .apple(let number): writer.integer(number)
        case .monthSeconds(let seconds):
            writer.raw("{\"monthSeconds\":")
            writer.integer(seconds)
            writer.raw("}")
        }
    }
}
