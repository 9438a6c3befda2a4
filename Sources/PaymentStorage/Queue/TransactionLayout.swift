internal import PaymentCore

/// A transaction object in the exact layout of the writer. Texts are ranges of its bytes.
///
/// The value is large, and copying it would take as long as reading. A reader of many objects therefore keeps
/// one.
///
/// Objects with a failure, a revocation or a trace context are rare, and only ``EventDecoder`` reads them.
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
    var id = UniqueID(high: 0, low: 0)
    var country: CountryCode?
    var product: UInt32 = 0
    var attempt: UInt32?
    var revision: UInt32 = 0
    var isConfirmed = false
    var author: PlainTransaction.Author?
    var createdAt = Timestamp(milliseconds: 0)
    var effectiveAt: Timestamp?
    var updatedAt: Timestamp?
    var order: UniqueID?
    var original: UniqueID?
}

extension LineCursor {
    /// Reads a transaction object; false if it has another layout, and the result is then undefined.
    mutating func transaction(
        _ recent: inout RecentValues, into layout: inout TransactionLayout
    ) -> Bool {
        layout = TransactionLayout()
        guard skip("{"), text("\"account\":\"", ",", into: &layout.texts.account),
            text("\"appAccountToken\":\"", ",", into: &layout.texts.appAccountToken),
            text("\"askedToken\":\"", ",", into: &layout.texts.askedToken)
        else { return false }
        if skip("\"attempt\":") {
            layout.attempt = number32()
            guard layout.attempt != nil, skip(",") else { return false }
        }
        if skip("\"by\":") {
            layout.author = author(&recent)
            guard layout.author != nil, skip(",") else { return false }
        }
        guard text("\"charged\":\"", ",", into: &layout.texts.charged) else { return false }
        layout.isConfirmed = skip("\"confirmed\":true,")
        guard skip("\"country\":\""), let country = country(), skip(",\"createdAt\":"),
            let createdAt = timestamp(&recent),
            timestamp(",\"effectiveAt\":", &recent, into: &layout.effectiveAt),
            skip(",\"id\":\""), let id = identifier(),
            text(",\"key\":\"", "", into: &layout.texts.key),
            text(",\"offer\":\"", "", into: &layout.texts.offer),
            identifier(",\"order\":\"", into: &layout.order),
            identifier(",\"original\":\"", into: &layout.original),
            skip(",\"p\":"), let product = number32(), skip(",\"product\":\""), text() != nil,
            skip(",\"reason\":\""), let reason = text(),
            text(",\"removal\":\"", "", into: &layout.texts.removal),
            skip(",\"revision\":"), let revision = number32(),
            skip(",\"state\":\""), let state = text(),
            timestamp(",\"updatedAt\":", &recent, into: &layout.updatedAt), skip("}")
        else { return false }
        layout.country = country
        layout.createdAt = createdAt
        layout.id = id
        layout.product = product
        layout.texts.reason = reason
        layout.revision = revision
        layout.texts.state = state
        return true
    }

    /// Reads a text if its name is here. False if the name is here and no plain text follows.
    @inline(__always)
    private mutating func text(
        _ name: StaticString, _ end: StaticString, into place: inout Range<Int>?
    ) -> Bool {
        guard skip(name) else { return true }
        place = text()
        return place != nil && skip(end)
    }

    /// Reads an identifier if its name is here. False if the name is here and no identifier follows.
    @inline(__always)
    private mutating func identifier(_ name: StaticString, into id: inout UniqueID?) -> Bool {
        guard skip(name) else { return true }
        id = identifier()
        return id != nil
    }

    /// Reads a timestamp if its name is here. False if the name is here and no timestamp follows.
    @inline(__always)
    private mutating func timestamp(
        _ name: StaticString, _ recent: inout RecentValues, into time: inout Timestamp?
    ) -> Bool {
        guard skip(name) else { return true }
        time = timestamp(&recent)
        return time != nil
    }
}
