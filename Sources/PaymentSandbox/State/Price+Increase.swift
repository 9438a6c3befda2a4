import PaymentCore

extension Price {
    /// The price after an increase: the current price of the catalogue if it is higher, otherwise a tenth
    /// more, rounded up in the last digit. A price whose increase does not fit stays as it is.
    func raised(towards sold: Price?) -> Price {
        if let sold, sold.currencyCode == currencyCode, sold.amount.isGreater(than: amount) {
            return sold
        }
        guard let amount = amount.raisedByATenth else { return self }
        let raised = Price(amount: amount, currencyCode: currencyCode)
        return raised.minorUnits == nil ? self : raised
    }
}

extension Amount {
    private var parts: (digits: String, fraction: Int) {
        let parts = text.split(separator: ".")
        return (parts.joined(), parts.count > 1 ? parts[1].utf8.count : 0)
    }

    fileprivate func isGreater(than other: Amount) -> Bool {
        let (left, right) = (parts, other.parts)
        let width = max(left.fraction, right.fraction)
        let aligned = [left, right].map {
            $0.digits + String(repeating: "0", count: width - $0.fraction)
        }
        let length = max(aligned[0].utf8.count, aligned[1].utf8.count)
        let padded = aligned.map { String(repeating: "0", count: length - $0.utf8.count) + $0 }
        return padded[0] > padded[1]
    }

    fileprivate var raisedByATenth: Amount? {
        let (digits, fraction) = parts
        guard let value = UInt64(digits) else { return nil }
        let raised = String(max(value + 1, (value * 11 + 9) / 10))
        guard fraction > 0 else { return Amount(raised) }
        let width = max(raised.utf8.count, fraction + 1)
        let padded = String(repeating: "0", count: width - raised.utf8.count) + raised
        return Amount("\(padded.dropLast(fraction)).\(padded.suffix(fraction))")
    }
}
