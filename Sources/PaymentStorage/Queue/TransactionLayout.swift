internal import PaymentCore

/// A transaction object in the exact layout that the writer leaves. Texts are places in the bytes.
///
/// Objects with a failure, a revocation or a trace context are rare and read in the general way only.
struct TransactionLayout {
    var account: Range<Int>?
    var appAccountToken: Range<Int>?
    var askedToken: Range<Int>?
    var attempt: UInt32?
    var author: PlainTransaction.Author?
    var charged: Range<Int>?
    var isConfirmed = false
    var country: CountryCode
    var createdAt: Timestamp
    var effectiveAt: Timestamp?
    var id: UniqueID
    var key: Range<Int>?
    var offer: Range<Int>?
    var order: UniqueID?
    var original: UniqueID?
    var product: UInt32
    var reason: Range<Int>
    var removal: Range<Int>?
    var revision: UInt32
    var state: Range<Int>
    var updatedAt: Timestamp?
}

extension LineCursor {
    /// Reads a transaction object.
    mutating func transaction(_ recent: inout RecentValues) -> TransactionLayout? {
        guard skip("{") else { return nil }
        var texts: (account: Range<Int>?, token: Range<Int>?, asked: Range<Int>?) = (nil, nil, nil)
        var attempt: UInt32?
        var author: PlainTransaction.Author?
        var charged: Range<Int>?
        guard text("\"account\":\"", ",", into: &texts.account),
            text("\"appAccountToken\":\"", ",", into: &texts.token),
            text("\"askedToken\":\"", ",", into: &texts.asked)
        else { return nil }
        if skip("\"attempt\":") {
            attempt = number32()
            guard attempt != nil, skip(",") else { return nil }
        }
        if skip("\"by\":") {
            author = self.author(&recent)
            guard author != nil, skip(",") else { return nil }
        }
        guard text("\"charged\":\"", ",", into: &charged) else { return nil }
        let isConfirmed = skip("\"confirmed\":true,")
        guard skip("\"country\":\""), let country = country(), skip(",\"createdAt\":"),
            let createdAt = timestamp(&recent),
            var layout = identified(country, createdAt, &recent)
        else { return nil }
        layout.account = texts.account
        layout.appAccountToken = texts.token
        layout.askedToken = texts.asked
        layout.attempt = attempt
        layout.author = author
        layout.charged = charged
        layout.isConfirmed = isConfirmed
        return layout
    }

    /// Reads the members from the one behind `createdAt` to the end.
    private mutating func identified(
        _ country: CountryCode, _ createdAt: Timestamp, _ recent: inout RecentValues
    ) -> TransactionLayout? {
        var effectiveAt: Timestamp?
        if skip(",\"effectiveAt\":") {
            effectiveAt = timestamp(&recent)
            guard effectiveAt != nil else { return nil }
        }
        guard skip(",\"id\":\""), let id = identifier() else { return nil }
        var texts: (key: Range<Int>?, offer: Range<Int>?, removal: Range<Int>?) = (nil, nil, nil)
        var orders: (order: UniqueID?, original: UniqueID?) = (nil, nil)
        guard text(",\"key\":\"", "", into: &texts.key),
            text(",\"offer\":\"", "", into: &texts.offer),
            identifier(",\"order\":\"", into: &orders.order),
            identifier(",\"original\":\"", into: &orders.original),
            skip(",\"p\":"), let product = number32(), skip(",\"product\":\""), text() != nil,
            skip(",\"reason\":\""), let reason = text(),
            text(",\"removal\":\"", "", into: &texts.removal),
            skip(",\"revision\":"), let revision = number32(),
            skip(",\"state\":\""), let state = text()
        else { return nil }
        var updatedAt: Timestamp?
        if skip(",\"updatedAt\":") {
            updatedAt = timestamp(&recent)
            guard updatedAt != nil else { return nil }
        }
        guard skip("}") else { return nil }
        return TransactionLayout(
            country: country, createdAt: createdAt, effectiveAt: effectiveAt, id: id,
            key: texts.key, offer: texts.offer, order: orders.order, original: orders.original,
            product: product, reason: reason, removal: texts.removal, revision: revision,
            state: state, updatedAt: updatedAt)
    }

    /// Reads a text behind its name if it stands here; false if it is no plain text.
    @inline(__always)
    private mutating func text(
        _ name: StaticString, _ end: StaticString, into place: inout Range<Int>?
    ) -> Bool {
        guard skip(name) else { return true }
        place = text()
        return place != nil && skip(end)
    }

    /// Reads an identifier behind its name if it stands here; false if it is none.
    @inline(__always)
    private mutating func identifier(_ name: StaticString, into id: inout UniqueID?) -> Bool {
        guard skip(name) else { return true }
        id = identifier()
        return id != nil
    }
}
