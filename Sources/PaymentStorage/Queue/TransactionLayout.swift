internal import PaymentCore

/// A transaction object in the exact layout that the writer leaves. Texts are places in the bytes.
///
/// Objects with a failure, a revocation or a trace context are rare and read in the general way only.
struct TransactionLayout {
    /// The places of the texts.
    struct Texts {
        var account: Range<Int>?
        var appAccountToken: Range<Int>?
        var askedToken: Range<Int>?
        var charged: Range<Int>?
        var key: Range<Int>?
        var offer: Range<Int>?
        var reason = 0..<0
        var removal: Range<Int>?
        var state = 0..<0
    }

    var texts = Texts()
    var id: UniqueID
    var country: CountryCode
    var product: UInt32
    var attempt: UInt32?
    var revision: UInt32
    var isConfirmed: Bool
    var author: PlainTransaction.Author?
    var createdAt: Timestamp
    var effectiveAt: Timestamp?
    var updatedAt: Timestamp?
    var order: UniqueID?
    var original: UniqueID?
}

extension LineCursor {
    /// Reads a transaction object.
    mutating func transaction(_ recent: inout RecentValues) -> TransactionLayout? {
        guard skip("{") else { return nil }
        var texts = TransactionLayout.Texts()
        var attempt: UInt32?
        var author: PlainTransaction.Author?
        guard text("\"account\":\"", ",", into: &texts.account),
            text("\"appAccountToken\":\"", ",", into: &texts.appAccountToken),
            text("\"askedToken\":\"", ",", into: &texts.askedToken)
        else { return nil }
        if skip("\"attempt\":") {
            attempt = number32()
            guard attempt != nil, skip(",") else { return nil }
        }
        if skip("\"by\":") {
            author = self.author(&recent)
            guard author != nil, skip(",") else { return nil }
        }
        guard text("\"charged\":\"", ",", into: &texts.charged) else { return nil }
        let isConfirmed = skip("\"confirmed\":true,")
        guard skip("\"country\":\""), let country = country(), skip(",\"createdAt\":"),
            let createdAt = timestamp(&recent)
        else { return nil }
        var effectiveAt: Timestamp?
        var updatedAt: Timestamp?
        var order: UniqueID?
        var original: UniqueID?
        guard timestamp(",\"effectiveAt\":", &recent, into: &effectiveAt),
            skip(",\"id\":\""), let id = identifier(),
            text(",\"key\":\"", "", into: &texts.key),
            text(",\"offer\":\"", "", into: &texts.offer),
            identifier(",\"order\":\"", into: &order),
            identifier(",\"original\":\"", into: &original),
            skip(",\"p\":"), let product = number32(), skip(",\"product\":\""), text() != nil,
            skip(",\"reason\":\""), let reason = text(),
            text(",\"removal\":\"", "", into: &texts.removal),
            skip(",\"revision\":"), let revision = number32(),
            skip(",\"state\":\""), let state = text(),
            timestamp(",\"updatedAt\":", &recent, into: &updatedAt), skip("}")
        else { return nil }
        texts.reason = reason
        texts.state = state
        return TransactionLayout(
            texts: texts, id: id, country: country, product: product, attempt: attempt,
            revision: revision, isConfirmed: isConfirmed, author: author, createdAt: createdAt,
            effectiveAt: effectiveAt, updatedAt: updatedAt, order: order, original: original)
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

    /// Reads a moment behind its name if it stands here; false if it is none.
    @inline(__always)
    private mutating func timestamp(
        _ name: StaticString, _ recent: inout RecentValues, into time: inout Timestamp?
    ) -> Bool {
        guard skip(name) else { return true }
        time = timestamp(&recent)
        return time != nil
    }
}
