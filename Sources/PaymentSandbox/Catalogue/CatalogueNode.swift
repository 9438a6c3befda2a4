import PaymentCore
import StrictJSON

/// One value of a catalogue file, with its path for error messages.
///
/// `null` counts as absent everywhere, because Apple's files use both with the same meaning.
struct CatalogueNode {
    let document: CatalogueDocument
    let token: Int
    let path: String

    /// The kind of the value.
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

    /// A member of an object; nil if it is absent.
    func member(_ name: String) throws(CatalogueFailure) -> CatalogueNode? {
        for member in try members() where member.name == name { return member.node }
        return nil
    }

    /// A required member, under the first of these names that occurs.
    func required(_ names: String...) throws(CatalogueFailure) -> CatalogueNode {
        for name in names {
            if let node = try member(name) { return node }
        }
        throw failure("'\(names[0])' is missing")
    }

    /// The elements of an array member, in order; empty if the member is absent.
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

    /// The value of a string.
    ///
    /// Its length is limited, because journal records store the texts of products.
    func string() throws(CatalogueFailure) -> String {
        try expect(.string, "a string")
        let text = document.tape.text(token, in: document.bytes.span)
        guard text.utf8.count <= RecordBounds.productTextBytes else {
            throw failure("this is longer than \(RecordBounds.productTextBytes) bytes of UTF-8")
        }
        return text
    }

    /// The text of an identifier: not empty, and at most `RecordBounds.identifierBytes` bytes.
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

    /// A string member; nil if it is absent.
    func string(_ name: String) throws(CatalogueFailure) -> String? {
        try member(name)?.string()
    }

    /// A Boolean member; nil if it is absent.
    func bool(_ name: String) throws(CatalogueFailure) -> Bool? {
        try member(name)?.bool()
    }

    // MARK: Values of this field

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

    /// An offer of `periods` periods. Its whole duration must not exceed the limit of offers.
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

    /// A failure about an amount that exceeds 64 bits in the smallest units of its currency.
    func tooLarge(_ price: Price) -> CatalogueFailure {
        failure(
            "'\(price.amount.text)' is too large: it is more than \(Int64.max) of the smallest units "
                + "of \(price.currencyCode)")
    }

    /// A country by its code of two or three letters.
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
    /// The text for a message, cut after 40 characters.
    var shortened: String { count > 40 ? prefix(40) + "…" : self }
}
