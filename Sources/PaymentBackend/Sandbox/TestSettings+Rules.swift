public import PaymentCore

/// A change of the test settings that the rules turn down.
public enum SettingsRefusal: Error, Sendable, Hashable {
    /// The word names no failure that the sandbox knows.
    case unknownFailureError(String)
    /// The latency is negative or longer than ten minutes.
    case latencyOutOfRange(Int)
    /// The letters name no country.
    case unknownCountry(CountryCode)
}

extension SettingsRefusal: CustomStringConvertible {
    /// A sentence that says what is allowed.
    public var description: String {
        switch self {
        case .unknownFailureError(let word):
            let known = FailureWord.allCases.map(\.rawValue).joined(separator: ", ")
            return "failureError '\(word.shortened)' is unknown; known are \(known)"
        case .latencyOutOfRange(let latency):
            return "latencyMs \(latency) is out of range; 0 to 600000 are allowed"
        case .unknownCountry(let country):
            return "storefront '\(country)' is not a country of ISO 3166"
        }
    }
}

extension StoreTestSettingsChange {
    /// Checks every value that is given.
    ///
    /// - Throws: The first value that is not allowed; nothing was changed then.
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
    }

    /// This change with a later one on top.
    func merged(with later: StoreTestSettingsChange) -> StoreTestSettingsChange {
        var merged = self
        merged.failTransactionsEnabled = later.failTransactionsEnabled ?? failTransactionsEnabled
        merged.failureError = later.failureError ?? failureError
        merged.askToBuyEnabled = later.askToBuyEnabled ?? askToBuyEnabled
        merged.paymentsAllowed = later.paymentsAllowed ?? paymentsAllowed
        merged.latencyMs = later.latencyMs ?? latencyMs
        merged.storeDown = later.storeDown ?? storeDown
        merged.storefront = later.storefront ?? storefront
        return merged
    }
}

extension StoreTestSettings {
    /// These settings after a change.
    func applying(_ change: StoreTestSettingsChange) -> StoreTestSettings {
        StoreTestSettings(
            failTransactionsEnabled: change.failTransactionsEnabled ?? failTransactionsEnabled,
            failureError: change.failureError ?? failureError,
            askToBuyEnabled: change.askToBuyEnabled ?? askToBuyEnabled,
            paymentsAllowed: change.paymentsAllowed ?? paymentsAllowed,
            latencyMs: change.latencyMs ?? latencyMs, storeDown: change.storeDown ?? storeDown,
            storefront: change.storefront ?? storefront)
    }
}
