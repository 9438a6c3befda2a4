public import PaymentCore
public import SandboxControl

/// The refusal of a change of the test settings.
public enum SettingsRefusal: Error, Sendable, Hashable {
    /// The sandbox does not support a failure of this name.
    case unknownFailureError(String)
    /// The latency is negative or longer than ten minutes.
    case latencyOutOfRange(Int)
    /// There is no country with this code.
    case unknownCountry(CountryCode)
    /// The sandbox's clock does not support a rate with this number or length of a month.
    case unknownTimeRate(TimeRate)
    /// The name of a locale is longer than 64 bytes.
    case localeTooLong
}

extension SettingsRefusal: CustomStringConvertible {
    /// A sentence that names the permitted values.
    public var description: String {
        switch self {
        case .unknownFailureError(let word):
            let known = FailureWord.allCases.map(\.rawValue).joined(separator: ", ")
            return "failureError '\(word.shortened)' is unknown; known are \(known)"
        case .latencyOutOfRange(let latency):
            return "latencyMs \(latency) is out of range; 0 to 600000 are allowed"
        case .unknownCountry(let country):
            return "storefront '\(country)' is not a country of ISO 3166"
        case .unknownTimeRate(.apple(let number)):
            return "timeRate \(number) is unknown; known are 0 to 6, 10 to 13 and 15"
        case .unknownTimeRate(.monthSeconds(let seconds)):
            return "monthSeconds \(seconds) is out of range; 1 to "
                + "\(SandboxClock.realMonthSeconds) are allowed"
        case .localeTooLong:
            return "locale is longer than 64 bytes"
        }
    }
}

extension StoreTestSettingsChange {
    /// Checks every value that is set.
    ///
    /// - Throws: The refusal of the first value that is not permitted; nothing changed.
    public func validate() throws(SettingsRefusal) {
        if let failureError, FailureWord(rawValue: failureError) == nil {
            throw .unknownFailureError(failureError)
        }
        if let latencyMs, !(0...600_000).contains(latencyMs) {
            throw .latencyOutOfRange(latencyMs)
        }
        if let storefront, Countries.currency(of: storefront) == nil {
            throw .unknownCountry(storefront)
        }
        if let timeRate, timeRate.realSecondsOfMonth == nil { throw .unknownTimeRate(timeRate) }
        if let locale, locale.byteCount > 64 { throw .localeTooLong }
    }

    /// This change combined with a later one, whose values take precedence.
    func merged(with later: StoreTestSettingsChange) -> StoreTestSettingsChange {
        var merged = self
        merged.failTransactionsEnabled = later.failTransactionsEnabled ?? failTransactionsEnabled
        merged.failureError = later.failureError ?? failureError
        merged.askToBuyEnabled = later.askToBuyEnabled ?? askToBuyEnabled
        merged.paymentsAllowed = later.paymentsAllowed ?? paymentsAllowed
        merged.latencyMs = later.latencyMs ?? latencyMs
        merged.storeDown = later.storeDown ?? storeDown
        merged.storefront = later.storefront ?? storefront
        merged.interruptedPurchasesEnabled =
            later.interruptedPurchasesEnabled ?? interruptedPurchasesEnabled
        merged.timeRate = later.timeRate ?? timeRate
        merged.locale = later.locale ?? locale
        merged.billingGracePeriodIsEnabled =
            later.billingGracePeriodIsEnabled ?? billingGracePeriodIsEnabled
        merged.shouldEnterBillingRetryOnRenewal =
            later.shouldEnterBillingRetryOnRenewal ?? shouldEnterBillingRetryOnRenewal
        if let errors = later.simulatedErrors {
            merged.simulatedErrors = (simulatedErrors ?? [:]).merging(errors) { $1 }
        }
        return merged
    }
}

extension StoreTestSettings {
    /// These settings after a change. An empty locale restores that of the catalogue.
    func applying(_ change: StoreTestSettingsChange) -> StoreTestSettings {
        var changed = self
        changed.failTransactionsEnabled = change.failTransactionsEnabled ?? failTransactionsEnabled
        changed.failureError = change.failureError ?? failureError
        changed.askToBuyEnabled = change.askToBuyEnabled ?? askToBuyEnabled
        changed.paymentsAllowed = change.paymentsAllowed ?? paymentsAllowed
        changed.latencyMs = change.latencyMs ?? latencyMs
        changed.storeDown = change.storeDown ?? storeDown
        changed.storefront = change.storefront ?? storefront
        changed.interruptedPurchasesEnabled =
            change.interruptedPurchasesEnabled ?? interruptedPurchasesEnabled
        changed.timeRate = change.timeRate ?? timeRate
        if let locale = change.locale { changed.locale = locale.byteCount > 0 ? locale : nil }
        changed.billingGracePeriodIsEnabled =
            change.billingGracePeriodIsEnabled ?? billingGracePeriodIsEnabled
        changed.shouldEnterBillingRetryOnRenewal =
            change.shouldEnterBillingRetryOnRenewal ?? shouldEnterBillingRetryOnRenewal
        for (call, kind) in change.simulatedErrors ?? [:] {
            changed.simulatedErrors[call] = kind
        }
        return changed
    }
}
