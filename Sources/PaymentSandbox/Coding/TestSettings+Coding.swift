import PaymentCore
import SandboxControl
import StrictJSON

extension StoreTestSettingsChange {
    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("askToBuyEnabled", askToBuyEnabled)
        writer.member("billingGracePeriodIsEnabled", billingGracePeriodIsEnabled)
        writer.member("failTransactionsEnabled", failTransactionsEnabled)
        writer.member("failureError", failureError)
        writer.member("interruptedPurchasesEnabled", interruptedPurchasesEnabled)
        writer.member("latencyMs", latencyMs)
        writer.member("locale", locale?.string)
        if case .monthSeconds(let seconds) = timeRate { writer.member("monthSeconds", seconds) }
        writer.member("paymentsAllowed", paymentsAllowed)
        writer.member("shouldEnterBillingRetryOnRenewal", shouldEnterBillingRetryOnRenewal)
        encodeErrors(into: &writer)
        writer.member("storeDown", storeDown)
        writer.member("storefront", storefront?.description)
        if case .apple(let number) = timeRate { writer.member("timeRate", number) }
        writer.endObject()
    }

    /// Calls by name; an empty word disarms one.
    private func encodeErrors(into writer: inout JSONWriter) {
        guard let simulatedErrors else { return }
        writer.name("simulatedErrors")
        writer.beginObject()
        for call in SimulatedCall.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let kind = simulatedErrors[call] else { continue }
            writer.name(call.rawValue)
            writer.string(kind?.rawValue ?? "")
        }
        writer.endObject()
    }

    init(_ fields: PayloadFields) throws(SandboxCodingFailure) {
        self.init()
        askToBuyEnabled = try fields.bool("askToBuyEnabled")
        billingGracePeriodIsEnabled = try fields.bool("billingGracePeriodIsEnabled")
        failTransactionsEnabled = try fields.bool("failTransactionsEnabled")
        failureError = try fields.optional("failureError") { $0 }
        interruptedPurchasesEnabled = try fields.bool("interruptedPurchasesEnabled")
        latencyMs = try fields.integer("latencyMs")
        locale = try fields.optional("locale") { OpaqueText($0) }
        paymentsAllowed = try fields.bool("paymentsAllowed")
        shouldEnterBillingRetryOnRenewal = try fields.bool("shouldEnterBillingRetryOnRenewal")
        storeDown = try fields.bool("storeDown")
        storefront = try fields.optional("storefront", CountryCode.init)
        if let seconds = try fields.integer("monthSeconds") { timeRate = .monthSeconds(seconds) }
        if let number = try fields.integer("timeRate") { timeRate = .apple(number) }
        simulatedErrors = try Self.errors(fields)
    }

    private static func errors(
        _ fields: PayloadFields
    ) throws(SandboxCodingFailure) -> [SimulatedCall: StoreFailure.Kind?]? {
        guard let nested = try fields.nested("simulatedErrors") else { return nil }
        var errors: [SimulatedCall: StoreFailure.Kind?] = [:]
        for call in SimulatedCall.allCases {
            guard let word = try nested.optional(call.rawValue, { $0 }) else { continue }
            let kind = StoreFailure.Kind(rawValue: word)
            guard kind != nil || word.isEmpty else {
                throw nested.failure(call.rawValue, "cannot be read")
            }
            errors.updateValue(kind, forKey: call)
        }
        return errors
    }
}
