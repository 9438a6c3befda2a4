public import PaymentCore
public import StrictJSON

/// `test.get`: how the sandbox behaves.
public enum TestGet: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// The settings in force.
    public struct Result: WireResult, Hashable {
        /// The settings.
        public var settings: StoreTestSettings

        /// Makes a result.
        public init(settings: StoreTestSettings) {
            self.settings = settings
        }

        /// Appends the settings.
        public func write(into writer: inout JSONWriter) {
            writer.testSettings(settings)
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "test.get",
        summary: "Show the settings of the sandbox",
        description: "Returns the settings that test.set changes. Only for the sandbox.",
        resultSchema: Schema.reference("TestSettings"),
        errors: [.notSupportedByStore],
        role: .admin,
        example: .init(result: Result(settings: StoreTestSettings())))
}

extension JSONWriter {
    /// The settings of a sandbox.
    mutating func testSettings(_ settings: StoreTestSettings) {
        beginObject()
        name("failTransactionsEnabled")
        bool(settings.failTransactionsEnabled)
        name("failureError")
        string(settings.failureError)
        name("askToBuyEnabled")
        bool(settings.askToBuyEnabled)
        name("interruptedPurchasesEnabled")
        bool(settings.interruptedPurchasesEnabled)
        name("timeRate")
        timeRate(settings.timeRate)
        if let country = settings.storefront {
            name("storefront")
            string(country.description)
        }
        name("paymentsAllowed")
        bool(settings.paymentsAllowed)
        if let locale = settings.locale {
            name("locale")
            string(locale.string)
        }
        name("billingGracePeriodIsEnabled")
        bool(settings.billingGracePeriodIsEnabled)
        name("shouldEnterBillingRetryOnRenewal")
        bool(settings.shouldEnterBillingRetryOnRenewal)
        name("simulatedErrors")
        simulatedErrors(settings.simulatedErrors)
        name("latencyMs")
        integer(settings.latencyMs)
        name("storeDown")
        bool(settings.storeDown)
        endObject()
    }

    private mutating func timeRate(_ rate: TimeRate) {
        switch rate {
        case .apple(let number): integer(number)
        case .monthSeconds(let seconds):
            raw("{\"monthSeconds\":")
            integer(seconds)
            raw("}")
        }
    }

    private mutating func simulatedErrors(_ errors: [SimulatedCall: StoreFailure.Kind]) {
        beginObject()
        for call in SimulatedCall.allCases {
            name(call.wireWord)
            if let error = errors[call] { string(error.wireWord) } else { null() }
        }
        endObject()
    }
}
