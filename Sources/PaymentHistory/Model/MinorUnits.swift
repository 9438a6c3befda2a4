public import PaymentCore

extension Price {
    /// The amount in the smallest unit of its currency, rounded half up where the amount has more
    /// digits than the currency; nil if it does not fit.
    public var minorUnits: Int64? {
        let digits = MinorUnits.digits(of: currencyCode)
        let parts = amount.text.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? Array(parts[1].utf8) : []
        let kept = fraction.prefix(digits)
        let zeros = [UInt8](repeating: 0x30, count: digits - kept.count)
        guard
            let units = Int64(String(decoding: Array(parts[0].utf8) + kept + zeros, as: UTF8.self))
        else { return nil }
        let isRoundedUp = fraction.count > digits && fraction[digits] >= 0x35
        return isRoundedUp ? units + 1 : units
    }
}

extension InAppPurchase {
    /// The price for people: major units with as many digits as the currency has, and the currency.
    public var priceText: String {
        let digits = MinorUnits.digits(of: currency)
        let sign = price < 0 ? "-" : ""
        let units = String(price.magnitude)
        guard digits > 0 else { return "\(sign)\(units) \(currency)" }
        let missing = max(0, digits + 1 - units.count)
        let padded = String(repeating: "0", count: missing) + units
        return "\(sign)\(padded.dropLast(digits)).\(padded.suffix(digits)) \(currency)"
    }
}

/// How many digits after the point currencies have, where it is not two (ISO 4217).
enum MinorUnits {
    static func digits(of currency: String) -> Int { exceptions[currency] ?? 2 }

    private static let exceptions: [String: Int] = {
        var digits: [String: Int] = [:]
        let none = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
        let three = "BHD IQD JOD KWD LYD OMR TND"
        for code in none.split(separator: " ") { digits[String(code)] = 0 }
        for code in three.split(separator: " ") { digits[String(code)] = 3 }
        for code in ["CLF", "UYW"] { digits[code] = 4 }
        return digits
    }()
}
