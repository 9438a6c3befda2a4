import PaymentCore

extension SubscriptionPeriod {
    /// Reads an ISO 8601 duration of one unit, such as `P1W`, `P3M` or `P7D`; nil for anything
    /// else.
    ///
    /// The unit is kept: seven days do not become a week.
    init?(iso8601 text: String) {
        guard text.hasPrefix("P"), let letter = text.last, let unit = Unit(letter: letter),
            let count = Int(text.dropFirst().dropLast()), Self.unitsRange.contains(count),
            text.dropFirst().first != "+"
        else { return nil }
        self.init(unit: unit, numberOfUnits: count)
    }

    /// The period `count` times in a row.
    func times(_ count: Int) -> SubscriptionPeriod {
        SubscriptionPeriod(unit: unit, numberOfUnits: numberOfUnits * count)
    }
}

extension SubscriptionPeriod.Unit {
    fileprivate init?(letter: Character) {
        switch letter {
        case "D": self = .day
        case "W": self = .week
        case "M": self = .month
        case "Y": self = .year
        default: return nil
        }
    }
}
