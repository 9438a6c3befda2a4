public import PaymentCore

/// The pull form of the log.
extension PaymentEngine {
    /// Most records that one call looks at. Whoever looks for something rare reads on in a later
    /// turn, so that nobody waits for the whole log to be read.
    static let longestScan = 4096

    /// Records behind a position that the session sees, oldest first, and how far was read.
    ///
    /// - Parameters:
    ///   - position: Where to begin; its successor must not have been trimmed.
    ///   - limit: Most records to return.
    ///   - kinds: The kinds wanted; nil for all.
    ///   - bytes: About how long the records may be together when they are written out; one is
    ///     returned in any case.
    /// - Returns: The records and the position up to which there are no others. That is before the
    ///   durable head when a limit was hit, or when much was read and little found.
    /// - Throws: The log cannot be read.
    public func visibleRecords(
        after position: SequenceNumber, limit: Int, kinds: Set<EventKind>?, bytes: Int = .max
    ) throws(JournalFailure) -> (records: [Record], scanned: SequenceNumber) {
        var found: [Record] = []
        var size = 0
        var looks = 0
        var scanned = position
        while found.count < limit, scanned < durableHead, looks < Self.longestScan {
            let page = try journal.records(after: scanned, count: Self.pageOfRecords)
            guard !page.isEmpty else { return (found, durableHead) }
            for record in page {
                looks += 1
                if let kind = EventKind(of: record.event), kinds?.contains(kind) ?? true,
                    isVisible(record)
                {
                    size += record.approximateBytes
                    guard size <= bytes || found.isEmpty else { return (found, scanned) }
                    found.append(record)
                }
                scanned = record.sequence
                if found.count == limit { break }
            }
        }
        return (found, scanned)
    }

    /// Waits until there is something to read behind a position.
    ///
    /// - Parameters:
    ///   - position: How far the caller has read.
    ///   - answer: Called once: in a later turn if there are records already, otherwise in the turn
    ///     that has the next one; never when ``cancelWait(_:)`` was called before.
    /// - Returns: A number to cancel the waiting by.
    public func waitForRecord(
        after position: SequenceNumber, _ answer: @escaping () -> Void
    ) -> UInt64 {
        let waiter = waiters.waitForRecord(answer)
        if position < durableHead {
            loop.executeAfterInput { [self] in waiters.take(waiter)?() }
        }
        return waiter
    }
}

extension Record {
    /// About how many bytes the record takes when it is written out.
    var approximateBytes: Int {
        switch event {
        case .transaction(_, let transaction): transaction.approximateBytes
        case .entitlementsRevoked(let revocation): 200 + revocation.orders.count * 150
        case .questionOpened(let question):
            400 + (question.product?.product.approximateBytes ?? 0)
        default: 400
        }
    }
}

extension Transaction {
    /// About how many bytes the snapshot takes when it is written out.
    var approximateBytes: Int {
        500 + payment.product.product.approximateBytes + (payment.appAccountToken?.byteCount ?? 0)
    }
}

extension Product {
    /// About how many bytes the product takes when it is written out.
    fileprivate var approximateBytes: Int {
        400 + productIdentifier.byteCount + localizedTitle.utf8.count
            + localizedDescription.utf8.count + (iconURL?.utf8.count ?? 0)
    }
}
