import PaymentCore
import StrictJSON

/// One value of a catalogue file, with its path for errors.
///
/// `null` counts as absent, because Apple's files use both for the same meaning.
struct CatalogueNode {
    let document: CatalogueDocument
    let token: Int
    let path: String

    var kind: JSONToken.Kind { document.tape.tokens[token].kind }

    /// A failure about this value.
    func failure(_ reason: String) -> CatalogueFailure {
        document.failure(
            offset: Int(document.tape.tokens[token].start), path: path.isEmpty ? nil : path,
            reason: reason)
    }

    // MARK: Members and elements

    /// The members of an object, in the order of the file.
    func members() throws(CatalogueFailure) -> [(name: String, node: CatalogueNode)] {
        try expect(.object, "an object")
        var members: [(name: String, node: CatalogueNode)] = []
        var position = token + 1
        while position < Int(document.tape.tokens[token].next) {
            let name = document.tape.text(position, in: document.bytes.span)
            let value = CatalogueNode(
                document: document, token: position + 1,
                path: path.isEmpty ? name : "\(path).\(name)")
            if value.kind != .null { members.append((name, value)) }
            position = Int(document.tape.tokens[position + 1].next)
        }
        return members
    }

    /// An optional member.
    func member(_ name: String) throws(CatalogueFailure) -> CatalogueNode? {
        for member in try members() where member.name == name { return member.node }
        return nil
    }

    /// A required member, under any of the given names.
    func required(_ names: String...) throws(CatalogueFailure) -> CatalogueNode {
        for name in names {
            if let node = try member(name) { return node }
        }
        throw failure("'\(names[0])' is missing")
    }

    /// The elements of an optional array, in order.
    func elements(of name: String) throws(CatalogueFailure) -> [CatalogueNode] {
        guard let array = try member(name) else { return [] }
        try array.expect(.array, "an array")
        var elements: [CatalogueNode] = []
        var position = array.token + 1
        while position < Int(document.tape.tokens[array.token].next) {
            elements.append(
                CatalogueNode(
                    document: document, token: position,
                    path: "\(array.path)[\(elements.count)]"))
            position = Int(document.tape.tokens[position].next)
        }
        return elements
    }

    // MARK: Plain values

    /// The text of a string.
    ///
    /// Product texts are part of journal records, whose length is limited.
    func string() throws(CatalogueFailure) -> String {
        try expect(.string, "a string")
        let text = document.tape.text(token, in: document.bytes.span)
        guard text.utf8.count <= RecordBounds.productTextBytes else {
            throw failure("this is longer than \(RecordBounds.productTextBytes) bytes of UTF-8")
        }
        return text
    }

    /// A non-empty identifier that fits the bounds of a record.
    func identifier() throws(CatalogueFailure) -> OpaqueText {
        let text = OpaqueText(try string())
        guard text.byteCount > 0 else { throw failure("this must not be empty") }
        guard text.byteCount <= RecordBounds.identifierBytes else {
            throw failure(
                "this is longer than \(RecordBounds.identifierBytes) bytes of UTF-8")
        }
        return text
    }

    /// A whole number within a range.
    func integer(in range: ClosedRange<Int>) throws(CatalogueFailure) -> Int {
        guard kind == .number,
            let number = document.tape.integer(token, in: document.bytes.span),
            let value = Int(exactly: number), range.contains(value)
        else {
            throw failure(
                "expected a whole number between \(range.lowerBound) and \(range.upperBound)")
        }
        return value
    }

    /// A Boolean value.
    func bool() throws(CatalogueFailure) -> Bool {
        switch kind {
        case .true: return true
        case .false: return false
        default: throw failure("expected true or false")
        }
    }

    /// An optional string member.
    func string(_ name: String) throws(CatalogueFailure) -> String? {
        try member(name)?.string()
    }

    /// An optional Boolean member.
    func bool(_ name: String) throws(CatalogueFailure) -> Bool? {
        try member(name)?.bool()
    }

    // MARK: Catalogue values

    /// An amount of money, as a string or a number of plain digits.
    func amount() throws(CatalogueFailure) -> Amount {
        let text: String
        switch kind {
        case .string: text = try string()
        case .number:
            let token = document.tape.tokens[token]
            let digits = document.bytes[Int(token.start)..<Int(token.end)]
            text = String(decoding: digits, as: UTF8.self)
        default: throw failure("expected an amount such as \"9.99\"")
        }
        guard let amount = Amount(text) else {
            throw failure("'\(text.shortened)' is not an amount such as \"9.99\"")
        }
        return amount
    }

    /// An offer with a number of periods, if its total length is permitted.
    func offer(
        _ mode: CatalogueOffer.Mode, _ prices: CataloguePrices, period: SubscriptionPeriod,
        periods: Int
    ) throws(CatalogueFailure) -> CatalogueOffer {
        let offer = CatalogueOffer(mode: mode, prices: prices, period: period, periods: periods)
        let whole = offer.wholePeriod.numberOfUnits
        let unit = period.unit.rawValue + "s"
        guard SubscriptionPeriod.unitsRange.contains(whole) else {
            throw failure(
                "\(periods) periods of \(period.numberOfUnits) \(unit) are \(whole) \(unit); "
                    + "an offer has at most \(SubscriptionPeriod.unitsRange.upperBound)")
        }
        return offer
    }

    /// A failure for an amount that overflows in the smallest units of its currency.
    func tooLarge(_ price: Price) -> CatalogueFailure {
        failure(
            "'\(price.amount.text)' is too large: it is more than \(Int64.max) of the smallest units "
                + "of \(price.currencyCode)")
    }

    /// A country by its alpha-2 or alpha-3 code.
    func country() throws(CatalogueFailure) -> CountryCode {
        let text = try string()
        guard let country = Countries.code(text) else {
            throw failure("'\(text.shortened)' is not a country of ISO 3166")
        }
        return country
    }

    /// A period as an ISO 8601 duration.
    func duration() throws(CatalogueFailure) -> SubscriptionPeriod {
        let text = try string()
        guard let period = SubscriptionPeriod(iso8601: text) else {
            throw failure("'\(text.shortened)' is not a period such as P1M")
        }
        return period
    }

    private func expect(_ kind: JSONToken.Kind, _ name: String) throws(CatalogueFailure) {
        guard self.kind == kind else { throw failure("expected \(name)") }
    }
}

extension String {
    /// The first 40 characters of the text, for messages.
    var shortened: String { count > 40 ? prefix(40) + "…" : self }
}
