internal import PaymentCore

/// The short way to read the most frequent lines: a transaction that waits. It compares the bytes with
/// the exact layout that the writer leaves. Every other line is read in the general way, which alone
/// decides what a line may be: whatever is read here, the general way would read alike.
extension EventDecoder {
    /// Reads a line of a snapshot; nil if it needs ``item(_:)``.
    mutating func plain(_ content: LineContent) -> PlainTransaction? {
        guard content.isWord("transaction") else { return nil }
        return content.bytes.withUnsafeBytes { bytes in
            var cursor = LineCursor(
                bytes, from: content.payloadOffset, to: content.range.upperBound)
            guard cursor.skip("{\"newestEvent\":"), let newestEvent = cursor.number(),
                cursor.skip(",\"transaction\":"), let layout = cursor.transaction(&recent),
                let updatedAt = layout.updatedAt
            else { return nil }
            var user: UInt32?
            if cursor.skip(",\"user\":") {
                user = cursor.number32()
                guard user != nil else { return nil }
            }
            guard cursor.skip("}}"), cursor.isAtEnd else { return nil }
            return waiting(
                layout, bytes, updatedAt: updatedAt, by: layout.author, newestEvent, of: user)
        }
    }

    /// Reads a line of the journal; nil if it needs ``record(_:)``.
    mutating func plain(_ line: JournalLine) -> PlainTransaction? {
        let content = line.content
        guard content.isWord("added") else { return nil }
        return content.bytes.withUnsafeBytes { bytes in
            let end = content.range.upperBound
            var cursor = LineCursor(bytes, from: line.timeOffset, to: end)
            guard let time = cursor.timestamp(&recent) else { return nil }
            var author: PlainTransaction.Author?
            if let offset = line.originOffset {
                var cursor = LineCursor(bytes, from: offset, to: end)
                author = cursor.author(&recent)
                guard author != nil else { return nil }
            }
            cursor = LineCursor(bytes, from: content.payloadOffset, to: end)
            // The time and the author of a change are those of its line.
            guard let layout = cursor.transaction(&recent), layout.updatedAt == nil,
                layout.author == nil, cursor.skip("}"), cursor.isAtEnd
            else { return nil }
            return waiting(
                layout, bytes, updatedAt: time, by: author, line.sequence, of: author?.uid)
        }
    }

    /// The transaction of an object, if it waits and has nothing that only others have.
    private mutating func waiting(
        _ layout: TransactionLayout, _ bytes: UnsafeRawBufferPointer, updatedAt: Timestamp,
        by author: PlainTransaction.Author?, _ newestEvent: SequenceNumber, of user: UInt32?
    ) -> PlainTransaction? {
        guard layout.askedToken == nil, layout.charged == nil, layout.effectiveAt == nil,
            layout.offer == nil, layout.order == nil, layout.original == nil,
            layout.removal == nil, bytes.has("purchase", in: layout.reason),
            bytes.has("waiting", in: layout.state), let product = product(layout.product),
            !product.product.type.isBoughtOnce
        else { return nil }
        let account = layout.account.map { place in
            recent.account(UnsafeRawBufferPointer(rebasing: bytes[place]))
        }
        return PlainTransaction(
            id: TransactionID(layout.id), account: account, product: product,
            country: layout.country, key: layout.key, appAccountToken: layout.appAccountToken,
            attempt: layout.attempt ?? 0, isConfirmed: layout.isConfirmed,
            revision: layout.revision, createdAt: layout.createdAt, updatedAt: updatedAt,
            author: author, newestEvent: newestEvent, user: user)
    }

    private func product(_ number: UInt32) -> RecordedProduct? { product(number: Int(number)) }
}

extension UnsafeRawBufferPointer {
    /// Whether a part is exactly this text.
    func has(_ text: StaticString, in part: Range<Int>) -> Bool {
        var cursor = LineCursor(self, from: part.lowerBound, to: part.upperBound)
        return cursor.skip(text) && cursor.isAtEnd
    }
}
