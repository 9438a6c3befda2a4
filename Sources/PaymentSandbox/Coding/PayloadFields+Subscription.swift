import PaymentCore
import StrictJSON

extension SandboxSubscription {
    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("account", key.account.string)
        writer.member("amount", price.amount.text)
        writer.member("anchor", anchor.description)
        writer.member("autoRenews", autoRenews ? true : nil)
        writer.member("country", country.description)
        writer.member("currency", price.currencyCode)
        writer.member("dropped", dropped?.order.description)
        writer.member("droppedAt", dropped?.at.description)
        writer.member("expiresAt", expiresAt.description)
        writer.member("graceUntil", graceUntil?.description)
        writer.member("group", key.group.string)
        writer.member("increaseAgreed", increase?.isAgreed == true ? true : nil)
        writer.member("increaseAmount", increase?.price.amount.text)
        writer.member("increaseCurrency", increase?.price.currencyCode)
        writer.member("introductory", introductory?.price.words)
        writer.member("introductoryLeft", introductory?.left)
        writer.member("nextProduct", nextProduct?.string)
        writer.member("original", original.description)
        writer.member("periodUnit", period.unit.rawValue)
        writer.member("periodUnits", period.numberOfUnits)
        writer.member("periods", periods)
        writer.member("product", product.string)
        writer.member("retryUntil", retryUntil?.description)
        writer.member("status", status.rawValue)
        writer.endObject()
    }

    init(_ fields: PayloadFields) throws(SandboxCodingFailure) {
        let unit = try fields.required("periodUnit", SubscriptionPeriod.Unit.init(rawValue:))
        self.init(
            key: SubscriptionKey(
                account: try fields.required("account") { AccountName($0) },
                group: try fields.required("group") { OpaqueText($0) }),
            original: try fields.required("original", OrderID.init),
            product: try fields.required("product") { ProductIdentifier($0) },
            price: Price(
                amount: try fields.required("amount", Amount.init),
                currencyCode: try fields.required("currency") { $0 }),
            country: try fields.required("country", CountryCode.init),
            period: SubscriptionPeriod(
                unit: unit,
                numberOfUnits: try fields.number(
                    "periodUnits", in: SubscriptionPeriod.unitsRange)),
            from: try fields.required("anchor", Timestamp.init))
        periods = try fields.number("periods", in: 0...Int.max)
        expiresAt = try fields.required("expiresAt", Timestamp.init)
        autoRenews = try fields.bool("autoRenews") ?? false
        status = try fields.required("status", Status.init(rawValue:))
        nextProduct = try fields.optional("nextProduct") { ProductIdentifier($0) }
        graceUntil = try fields.optional("graceUntil", Timestamp.init)
        retryUntil = try fields.optional("retryUntil", Timestamp.init)
        if let order = try fields.optional("dropped", OrderID.init) {
            dropped = DroppedPlan(
                order: order, at: try fields.required("droppedAt", Timestamp.init))
        }
        if let price = try fields.optional("introductory", Price.init(words:)) {
            introductory = Introductory(
                price: price,
                left: try fields.number(
                    "introductoryLeft", in: 0...CatalogueOffer.periodsRange.upperBound))
        }
        if let amount = try fields.optional("increaseAmount", Amount.init) {
            let currency = try fields.required("increaseCurrency") { $0 }
            increase = PriceIncrease(
                price: Price(amount: amount, currencyCode: currency),
                isAgreed: try fields.bool("increaseAgreed") ?? false)
        }
    }
}

extension SandboxClock {
    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("monthSeconds", monthSeconds)
        writer.member("setAt", setAt.description)
        writer.member("shown", shown.description)
        writer.endObject()
    }

    init(_ fields: PayloadFields) throws(SandboxCodingFailure) {
        self.init(
            setAt: try fields.required("setAt", Timestamp.init),
            shown: try fields.required("shown", Timestamp.init),
            monthSeconds: try fields.number("monthSeconds", in: 1...SandboxClock.realMonthSeconds))
    }
}

extension TurnedDown {
    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("amount", price?.amount.text)
        writer.member("attempt", Int(attempt))
        writer.member("country", country?.description)
        writer.member("currency", price?.currencyCode)
        writer.member("introductory", isIntroductory ? true : nil)
        writer.member("transaction", transaction.description)
        writer.endObject()
    }

    init(_ fields: PayloadFields) throws(SandboxCodingFailure) {
        var price: Price?
        if let amount = try fields.optional("amount", Amount.init) {
            price = Price(
                amount: amount, currencyCode: try fields.required("currency") { $0 })
        }
        self.init(
            transaction: try fields.required("transaction", TransactionID.init),
            attempt: UInt32(try fields.number("attempt", in: 0...Int(UInt32.max))), price: price,
            country: try fields.optional("country", CountryCode.init))
        isIntroductory = try fields.bool("introductory") ?? false
    }
}

extension Settlement {
    /// Writes the members of a settlement among those of its record. Only a record with a settlement has
    /// the member for its time.
    func encode(before order: OrderID, into writer: inout JSONWriter) {
        writer.member("at", at.description)
        if case .charge(let charge) = terms {
            writer.member("charged", charge.price.words)
            writer.member("effectiveAt", charge.effectiveAt?.description)
            writer.member("expiresAt", expiresAt?.description)
            writer.member("offer", charge.offer?.rawValue)
            writer.member("order", order.description)
            writer.member("original", original.description)
        }
        if case .unrecorded(let isFree, let isScheduled) = terms {
            writer.member("expiresAt", expiresAt?.description)
            writer.member("free", isFree ? true : nil)
            writer.member("order", order.description)
            writer.member("original", original.description)
            writer.member("scheduled", isScheduled ? true : nil)
        }
        writer.member("subscription", subscription)
    }

    init?(_ fields: PayloadFields) throws(SandboxCodingFailure) {
        guard let at = try fields.optional("at", Timestamp.init) else { return nil }
        self.init(
            at: at, original: try fields.required("original", OrderID.init),
            expiresAt: try fields.optional("expiresAt", Timestamp.init),
            terms: try Terms(fields),
            subscription: try fields.subscription())
    }
}

extension PayloadFields {
    /// The members of a member object; nil if it is missing.
    func nested(_ name: String) throws(SandboxCodingFailure) -> PayloadFields? {
        guard let member = payload[name] else { return nil }
        guard case .object = member else { throw failure(name, "cannot be read") }
        return PayloadFields(typeWord: typeWord, payload: member)
    }

    /// The objects of a required array.
    func objects(_ name: String) throws(SandboxCodingFailure) -> [PayloadFields] {
        guard case .array(let elements)? = payload[name] else {
            throw failure(name, "cannot be read")
        }
        return elements.map { PayloadFields(typeWord: typeWord, payload: $0) }
    }

    /// The subscription of a record; nil if it has none.
    func subscription() throws(SandboxCodingFailure) -> SandboxSubscription? {
        guard let fields = try nested("subscription") else { return nil }
        return try SandboxSubscription(fields)
    }

    /// A required whole number within a range.
    func number(_ name: String, in range: ClosedRange<Int>) throws(SandboxCodingFailure) -> Int {
        guard let value = try integer(name) else { throw failure(name, "is missing") }
        guard range.contains(value) else { throw failure(name, "is out of range") }
        return value
    }

    /// The identifiers of a required array.
    func identifiers(_ name: String) throws(SandboxCodingFailure) -> [UniqueID] {
        guard case .array(let elements)? = payload[name] else {
            throw failure(name, "cannot be read")
        }
        var identifiers: [UniqueID] = []
        for element in elements {
            guard let text = element.stringValue, let id = UniqueID(text) else {
                throw failure(name, "cannot be read")
            }
            identifiers.append(id)
        }
        return identifiers
    }
}

extension JSONWriter {
    /// Writes a member unless it is nil.
    mutating func member(_ name: StaticString, _ subscription: SandboxSubscription?) {
        guard let subscription else { return }
        self.name(name)
        subscription.encode(into: &self)
    }

    /// Writes a member with an array of identifiers.
    mutating func member(_ name: StaticString, _ identifiers: [UniqueID]) {
        self.name(name)
        beginArray()
        for identifier in identifiers {
            element()
            string(identifier.description)
        }
        endArray()
    }
}
