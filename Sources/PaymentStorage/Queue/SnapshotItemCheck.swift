internal import PaymentCore

/// Checks whether the items of a snapshot can be read, with the decoders that a start uses.
struct SnapshotItemCheck {
    private var decoder = EventDecoder()
    private var quick = PlainDecoder()
    /// The transactions of the piece of the file that is read.
    private var batch = SourcedBatch.none

    /// Reads an item of the queue.
    ///
    /// - Throws: A start would not load it.
    mutating func check(_ content: LineContent) throws(PayloadFault) {
        if !batch.continues(.snapshot, content.bytes) {
            batch = SourcedBatch(source: .snapshot, batch: PlainBatch(bytes: content.bytes))
        }
        if quick.transaction(content, into: &batch.batch) { return }
        guard let item = try decoder.item(content) else {
            throw PayloadFault("the type '\(content.word)' is not known")
        }
        if case .product(let product) = item { quick.note(product) }
    }
}
