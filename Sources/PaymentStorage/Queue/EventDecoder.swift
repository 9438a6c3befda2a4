internal import PaymentCore
internal import StrictJSON

/// The decoder of events and snapshot items.
///
/// It stores the products that lines name by number. Lines may be read in any order, if each
/// product is read before the first line that names it.
struct EventDecoder {
    /// By number. Not a list: the number in one line must not decide how much memory a start takes.
    private var products: [UInt32: RecordedProduct] = [:]
    private var lastAccount = AccountName("")
    private var lastCharge: (text: String, charge: Charge)?

    /// The upper bound of product numbers. A queue records one product per catalogue change and
    /// never gets there.
    private static let numberLimit: UInt32 = 1 << 24

    /// Reads an event; nil for an unknown type.
    mutating func record(_ line: JournalLine) throws(PayloadFault) -> Record? {
        let time = try line.time()
        let origin = try line.origin()
        guard let event = try event(line.content, time, origin) else { return nil }
        return Record(sequence: line.sequence, time: time, origin: origin, event: event)
    }

    /// Stores a product for lines that name it by number.
    mutating func note(_ product: RecordedProduct) throws(PayloadFault) {
        guard product.number < Self.numberLimit else {
            throw PayloadFault("the product number \(product.number) is too large")
        }
        products[product.number] = product
    }

    private mutating func event(
        _ content: LineContent, _ time: Timestamp, _ origin: Origin?
    ) throws(PayloadFault) -> Event? {
        if let change = Self.change(content) {
            return try transaction(change, content, time, origin)
        }
        var members = try MemberCursor(content, object: content.payloadOffset)
        if content.isWord("productRecorded") {
            let product = try content.recordedProduct(content.payloadOffset)
            try note(product)
            return .productRecorded(product)
        } else if content.isWord("started") {
            return .started(incarnation: try content.unsigned(members.require("incarnation")))
        } else if content.isWord("sessionChanged") {
            let cause = try content.optional(members.take("cause")) {
                offset throws(PayloadFault) in try content.word(offset, of: SessionCause.self)
            }
            let from = try content.session(members.require("from"))
            let to = try content.session(members.require("to"))
            return .sessionChanged(from: from, to: to, cause: cause)
        } else if content.isWord("countryAssumed") {
            return .countryAssumed(try content.assumedCountry())
        } else if content.isWord("forgotten") {
            return .forgotten(before: try content.timestamp(members.require("before")))
        }
        return try rareEvent(content, &members)
    }

    /// Decodes the less frequent events, which do not concern one transaction.
    private func rareEvent(
        _ content: LineContent, _ members: inout MemberCursor
    ) throws(PayloadFault) -> Event? {
        if content.isWord("policyChanged") {
            return .policyChanged(try content.policy())
        } else if content.isWord("questionOpened") {
            return .questionOpened(try question(content).question)
        } else if content.isWord("questionClosed") {
            return .questionClosed(try content.closing())
        } else if content.isWord("restoreRequested") {
            let (restore, key) = try content.restore(content.payloadOffset)
            return .restoreRequested(restore, key: key)
        } else if content.isWord("restoreJoined") {
            return try content.restoreJoined()
        } else if content.isWord("restoreEnded") {
            return try content.restoreEnded()
        } else if content.isWord("entitlementsRevoked") {
            return .entitlementsRevoked(try content.revocation())
        } else if content.isWord("productsChanged") {
            return .productsChanged(revision: try content.unsigned(members.require("revision")))
        } else if content.isWord("acknowledged") {
            let observer = try content.opaque(members.require("observer"))
            let position = try content.unsigned(members.require("upTo"))
            return .acknowledged(observer: observer, upTo: position)
        } else if content.isWord("observerForgotten") {
            return .observerForgotten(try content.opaque(members.require("observer")))
        }
        return nil
    }

    /// The change of a type word, without its key or reason.
    private static func change(_ content: LineContent) -> TransactionChange? {
        if content.isWord("added") { return .added(key: nil) }
        if content.isWord("submitted") { return .submitted(key: nil) }
        if content.isWord("purchased") { return .purchased }
        if content.isWord("completing") { return .completing }
        if content.isWord("removed") { return .removed(.finished) }
        if content.isWord("failed") { return .failed }
        if content.isWord("refreshed") { return .refreshed }
        if content.isWord("deferred") { return .deferred }
        if content.isWord("restored") { return .restored }
        if content.isWord("gated") { return .gated }
        if content.isWord("appeared") { return .appeared }
        if content.isWord("redelivered") { return .redelivered }
        if content.isWord("revoked") { return .revoked }
        return nil
    }

    private mutating func transaction(
        _ change: TransactionChange, _ content: LineContent, _ time: Timestamp, _ origin: Origin?
    ) throws(PayloadFault) -> Event {
        let parts = try parts(content, content.payloadOffset, at: time, by: origin)
        let transaction = parts.transaction
        switch change {
        case .added:
            return .transaction(.added(key: parts.key), transaction)
        case .submitted:
            return .transaction(.submitted(key: parts.key), transaction)
        case .removed:
            guard let removal = parts.removal else { throw PayloadFault("'removal' is missing") }
            return .transaction(.removed(removal), transaction)
        default:
            return .transaction(change, transaction)
        }
    }

    /// The members of a transaction object.
    struct Parts {
        var transaction: Transaction
        var key: OpaqueText?
        var removal: RemovalReason?
    }

    /// Reads a transaction. Snapshots include the time and origin of its last change. For a journal
    /// line the caller passes those of the line.
    mutating func parts(
        _ content: LineContent, _ offset: Int, at time: Timestamp? = nil, by author: Origin? = nil
    ) throws(PayloadFault) -> Parts {
        var members = try MemberCursor(content, object: offset)
        let account: AccountName?
        if let offset = try members.take("account") {
            account = try self.account(content, offset)
        } else {
            account = nil
        }
        let appAccountToken = try content.optional(
            members.take("appAccountToken"), content.opaque)
        let asked = try content.optional(members.take("askedToken"), content.opaque)
        let attempt = try content.optional(members.take("attempt"), content.unsigned32)
        let origin = try content.optional(members.take("by"), content.origin)
        var charge: Charge?
        if let offset = try members.take("charged") { charge = try self.charge(content, offset) }
        let isConfirmed = try content.optional(members.take("confirmed"), content.bool)
        let country = try content.country(members.require("country"))
        let createdAt = try content.timestamp(members.require("createdAt"))
        charge?.effectiveAt = try content.optional(
            members.take("effectiveAt"), content.timestamp)
        let failure = try content.optional(members.take("failure"), content.failure)
        let id = TransactionID(try content.identifier(members.require("id")))
        let key = try content.optional(members.take("key"), content.opaque)
        charge?.offer = try content.optional(members.take("offer")) {
            offset throws(PayloadFault) in try content.word(offset, of: PurchaseOffer.self)
        }
        let order = try content.optional(members.take("order"), content.identifier)
        let original = try content.optional(members.take("original"), content.identifier)
        let product = try product(content, members.require("p"))
        let reason = try content.reason(members.require("reason"))
        let removal = try content.optional(members.take("removal")) {
            offset throws(PayloadFault) in try content.word(offset, of: RemovalReason.self)
        }
        let revision = try content.unsigned32(members.require("revision"))
        charge?.revocation = try content.optional(
            members.take("revocation"), content.orderRevocation)
        let state = try content.state(members.require("state"), failure)
        let updatedAt = try content.optional(members.take("updatedAt"), content.timestamp)
        let transaction = Transaction(
            id: id, account: account,
            payment: Payment(product: product, appAccountToken: appAccountToken), state: state,
            country: country, order: order.map(OrderID.init),
            originalOrder: original.map(OrderID.init), charge: charge, requestedToken: asked,
            reason: reason, attempt: attempt ?? state.impliedAttempt,
            isConfirmed: isConfirmed ?? false, revision: revision, createdAt: createdAt,
            updatedAt: time ?? updatedAt ?? createdAt, origin: time == nil ? origin : author)
        return Parts(transaction: transaction, key: key, removal: removal)
    }

    /// The product with the number in a line.
    func product(
        _ content: LineContent, _ offset: Int
    ) throws(PayloadFault) -> RecordedProduct {
        let number = try content.unsigned32(offset)
        guard let product = products[number] else {
            throw PayloadFault("the product \(number) was never recorded")
        }
        return product
    }

    /// Reads an account and reuses the previous value, because consecutive lines usually name the
    /// same account.
    private mutating func account(
        _ content: LineContent, _ offset: Int
    ) throws(PayloadFault) -> AccountName {
        if content.isString(offset, lastAccount.string) { return lastAccount }
        lastAccount = try content.opaque(offset)
        return lastAccount
    }

    /// Reads a charge and reuses the previous value, because most orders have one of few prices.
    private mutating func charge(
        _ content: LineContent, _ offset: Int
    ) throws(PayloadFault) -> Charge {
        if let lastCharge, content.isString(offset, lastCharge.text) { return lastCharge.charge }
        let charge = try content.charge(offset)
        lastCharge = (try content.string(offset), charge)
        return charge
    }
}

extension LineContent {
    /// Whether the value at an offset is exactly this string without escapes.
    func isString(_ offset: Int, _ text: String) -> Bool {
        let count = text.utf8.count
        guard offset + count + 1 < range.upperBound, bytes[offset] == UInt8(ascii: "\""),
            bytes[offset + count + 1] == UInt8(ascii: "\"")
        else { return false }
        var index = offset + 1
        for byte in text.utf8 {
            // An escape would have to be decoded before the comparison.
            if bytes[index] != byte || byte == UInt8(ascii: "\\") { return false }
            index += 1
        }
        return true
    }

    /// A session or `null`.
    func session(_ offset: Int) throws(PayloadFault) -> Session? {
        if isNull(offset) { return nil }
        var members = try MemberCursor(self, object: offset)
        let account = try opaque(members.require("account"))
        return Session(account: account, country: try country(members.require("country")))
    }

    /// The country of the payload, or `null`.
    func assumedCountry() throws(PayloadFault) -> CountryCode? {
        var members = try MemberCursor(self, object: payloadOffset)
        let offset = try members.require("country")
        return isNull(offset) ? nil : try country(offset)
    }

    /// The failure of a transaction.
    func failure(_ offset: Int) throws(PayloadFault) -> PaymentFailure {
        var members = try MemberCursor(self, object: offset)
        let kind = try word(members.require("kind"), of: PaymentFailure.Kind.self)
        return PaymentFailure(kind, reason: try optional(members.take("reason"), string))
    }

    /// The charge, as amount and currency.
    func charge(_ offset: Int) throws(PayloadFault) -> Charge {
        let text = try string(offset)
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let amount = Amount(parts[0]) else {
            throw PayloadFault("'\(text)' is not an amount with a currency")
        }
        return Charge(price: Price(amount: amount, currencyCode: String(parts[1])))
    }

    /// The reason of a transaction. Nearly every line has the first one, found without a string.
    func reason(_ offset: Int) throws(PayloadFault) -> Transaction.Reason {
        if isString(offset, "purchase") { return .purchase }
        return try word(offset, of: Transaction.Reason.self)
    }

    /// The time and reason of a revocation.
    func orderRevocation(_ offset: Int) throws(PayloadFault) -> OrderRevocation {
        var members = try MemberCursor(self, object: offset)
        let at = try timestamp(members.require("at"))
        return OrderRevocation(at: at, reason: try string(members.require("reason")))
    }

    /// The state of a transaction.
    func state(_ offset: Int, _ failure: PaymentFailure?) throws(PayloadFault) -> TransactionState {
        if isString(offset, "waiting") { return .waiting }
        if isString(offset, "submitted") { return .submitted }
        if isString(offset, "purchased") { return .purchased }
        if isString(offset, "completing") { return .completing }
        if isString(offset, "deferred") { return .deferred }
        if isString(offset, "restored") { return .restored }
        if isString(offset, "gated") { return .gated }
        guard isString(offset, "failed") else {
            throw PayloadFault("'\(try string(offset))' is not a known state")
        }
        guard let failure else { throw PayloadFault("'failure' is missing") }
        return .failed(failure)
    }
}
