internal import PaymentCore

/// A quick decoder of the most frequent lines: a transaction that waits, of a product that can be bought again.
/// It compares the bytes with the exact layout of the writer. ``EventDecoder`` reads every other line and
/// defines which lines are valid. From the lines that both accept, both read the same.
struct PlainDecoder {
    /// The texts that transactions name by number.
    private(set) var recent = RecentValues()
    /// Whether the products that were noted can be bought again, by number.
    private var products: [Bool] = []
    /// The object that was read last.
    private var layout = TransactionLayout()

    /// The upper bound of product numbers here. ``EventDecoder`` reads the lines of products with larger
    /// numbers.
    private static let numberLimit = 1 << 16

    /// Stores a product, after ``EventDecoder`` has.
    mutating func note(_ product: RecordedProduct) {
        let number = Int(product.number)
        guard number < Self.numberLimit else { return }
        while products.count <= number { products.append(false) }
        products[number] = !product.product.type.isBoughtOnce
    }

    /// Reads a line of a snapshot and appends its transaction; false if ``EventDecoder`` must read it.
    mutating func transaction(
        _ content: LineContent, into batch: inout PlainBatch
    ) -> Bool {
        guard content.isWord("transaction") else { return false }
        return content.bytes.withUnsafeBytes { bytes in
            var cursor = LineCursor(
                bytes, from: content.payloadOffset, to: content.range.upperBound)
            guard cursor.skip("{\"newestEvent\":"), let newestEvent = cursor.number(),
                cursor.skip(",\"transaction\":"), cursor.transaction(&recent, into: &layout),
                let updatedAt = layout.updatedAt
            else { return false }
            var user: UInt32?
            if cursor.skip(",\"user\":") {
                user = cursor.number32()
                guard user != nil else { return false }
            }
            guard cursor.skip("}}"), cursor.isAtEnd else { return false }
            return append(
                bytes, updatedAt: updatedAt, by: layout.author, newestEvent, of: user, to: &batch)
        }
    }

    /// Reads a line of the journal and appends its transaction; false if ``EventDecoder`` must read it.
    mutating func added(_ line: JournalLine, into batch: inout PlainBatch) -> Bool {
        let content = line.content
        guard content.isWord("added") else { return false }
        return content.bytes.withUnsafeBytes { bytes in
            let end = content.range.upperBound
            var cursor = LineCursor(bytes, from: line.timeOffset, to: end)
            guard let time = cursor.timestamp(&recent) else { return false }
            var author: PlainTransaction.Author?
            if let offset = line.originOffset {
                var cursor = LineCursor(bytes, from: offset, to: end)
                author = cursor.author(&recent)
                guard author != nil else { return false }
            }
            cursor = LineCursor(bytes, from: content.payloadOffset, to: end)
            // The time and the author of a change are those of its line.
            guard cursor.transaction(&recent, into: &layout), layout.updatedAt == nil,
                layout.author == nil, cursor.skip("}"), cursor.isAtEnd
            else { return false }
            return append(
                bytes, updatedAt: time, by: author, line.sequence, of: author?.uid, to: &batch)
        }
    }

    /// Appends the transaction that was read, if it waits and has no member that only other states have.
    private mutating func append(
        _ bytes: UnsafeRawBufferPointer, updatedAt: Timestamp,
        by author: PlainTransaction.Author?, _ newestEvent: SequenceNumber, of user: UInt32?,
        to batch: inout PlainBatch
    ) -> Bool {
        guard layout.texts.askedToken == nil, layout.texts.charged == nil,
            layout.effectiveAt == nil, layout.texts.offer == nil, layout.order == nil,
            layout.original == nil, layout.texts.removal == nil,
            bytes.has("purchase", in: layout.texts.reason),
            bytes.has("waiting", in: layout.texts.state), Int(layout.product) < products.count,
            products[Int(layout.product)], let country = layout.country
        else { return false }
        var account: Int32?
        if let place = layout.texts.account {
            account = recent.accounts.number(UnsafeRawBufferPointer(rebasing: bytes[place]))
            guard account != nil else { return false }
        }
        batch.append(
            PlainTransaction(
                id: TransactionID(layout.id), account: account, product: layout.product,
                country: country, key: layout.texts.key,
                appAccountToken: layout.texts.appAccountToken,
                attempt: layout.attempt ?? 0, isConfirmed: layout.isConfirmed,
                revision: layout.revision, createdAt: layout.createdAt, updatedAt: updatedAt,
                author: author, newestEvent: newestEvent, user: user))
        return true
    }
}

extension UnsafeRawBufferPointer {
    /// Whether a part is exactly this text.
    func has(_ text: StaticString, in part: Range<Int>) -> Bool {
        var cursor = LineCursor(self, from: part.lowerBound, to: part.upperBound)
        return cursor.skip(text) && cursor.isAtEnd
    }
}
