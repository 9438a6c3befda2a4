/// The number of fraction digits of the ISO 4217 currencies.
public enum Currency {
    /// The number of fraction digits of a currency; 2 for an unknown code.
    public static func fractionDigits(of code: String) -> Int { exceptions[code] ?? 2 }

    /// An amount in the smallest unit of a currency as text in major units, with all digits of the
    /// currency: 999 is `9.99` in EUR, `999` in JPY and `0.999` in KWD.
    public static func text(smallestUnits units: UInt64, of code: String) -> String {
        text(units, fractionDigits: fractionDigits(of: code))
    }

    /// Inserts the decimal point before the last `digits` digits.
    fileprivate static func text(_ units: UInt64, fractionDigits digits: Int) -> String {
        let units = String(units)
        guard digits > 0 else { return units }
        let missing = max(0, digits + 1 - units.utf8.count)
        let padded = String(repeating: "0", count: missing) + units
        return "\(padded.dropLast(digits)).\(padded.suffix(digits))"
    }

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

extension Price {
    /// A price of zero with the digits of a currency: `0.00` in EUR, `0` in JPY.
    public static func zero(currencyCode: String) -> Price {
        guard let amount = Amount(Currency.text(smallestUnits: 0, of: currencyCode)) else {
            preconditionFailure("zero is an amount")
        }
        return Price(amount: amount, currencyCode: currencyCode)
    }

    /// The same price with exactly the digits of its currency, rounded half up: 1.5 is `1.50` in EUR and `2`
    /// in JPY. An amount that would have too many digits then keeps its text.
    public var roundedToCurrency: Price {
        let digits = Currency.fractionDigits(of: currencyCode)
        let exact = minorUnits.flatMap { units in
            Amount(Currency.text(smallestUnits: UInt64(units), of: currencyCode))
        }
        return Price(
            amount: exact ?? amount.rounded(toFractionDigits: digits), currencyCode: currencyCode)
    }

    /// The amount in the smallest unit of its currency; nil if it does not fit. An amount with more
    /// digits than the currency is rounded half up.
    public var minorUnits: Int64? {
        let digits = Currency.fractionDigits(of: currencyCode)
        let rounded = amount.rounded(toFractionDigits: digits)
        let zeros = String(repeating: "0", count: digits - rounded.fractionDigits)
        return Int64(rounded.text.filter { $0 != "." } + zeros)
    }
}

extension Amount {
    /// The number of digits after the decimal point.
    public var fractionDigits: Int {
        text.utf8.firstIndex(of: UInt8(ascii: ".")).map { text.utf8[$0...].count - 1 } ?? 0
    }

    /// The amount, rounded half up, with at most this many digits after the point.
    fileprivate func rounded(toFractionDigits digits: Int) -> Amount {
        let excess = fractionDigits - digits
        guard excess > 0 else { return self }
        let units = text.filter { $0 != "." }
        guard let kept = UInt64(units.dropLast(excess)),
            let first = units.utf8.dropLast(excess - 1).last
        else { preconditionFailure("the digits of amount \(text) are not a number") }
        let rounded = kept + (first >= UInt8(ascii: "5") ? 1 : 0)
        guard let amount = Amount(Currency.text(rounded, fractionDigits: digits)) else {
            preconditionFailure("amount \(text) has become longer")
        }
        return amount
    }
}
