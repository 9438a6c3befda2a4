public import PaymentCore

/// A search in the log for records that the session sees, oldest first.
public struct LogScan: Sendable {
    /// The records found, oldest first.
    public private(set) var records: [Record] = []
    /// The records that cannot be read, because their file is damaged; nil if there is none.
    public private(set) var gap: ClosedRange<SequenceNumber>?
    /// The position up to which the search is complete.
    public internal(set) var position: SequenceNumber
    /// Whether the search has ended: it has reached a limit, or was closed.
    public private(set) var isFull = false
    let kinds: Set<EventKind>?
    private let limit: Int
    private var room: Int

    /// Begins a search.
    ///
    /// - Parameters:
    ///   - position: The search begins after this position. The next record must not have been
    ///     trimmed.
    ///   - limit: The maximum number of records.
    ///   - kinds: The kinds to find; nil for all.
    ///   - bytes: The approximate maximum size of all records in text form, in bytes. One record is
    ///     found in any case.
    public init(
        after position: SequenceNumber, limit: Int, kinds: Set<EventKind>?, bytes: Int = .max
    ) {
        self.position = position
        self.limit = limit
        self.kinds = kinds
        room = bytes
        isFull = limit <= 0
    }

    /// Ends the search: the records behind its position cannot be read any more.
    public mutating func close() {
        isFull = true
    }

    /// Skips records that cannot be read. A second gap ends the search before it.
    mutating func pass(_ range: ClosedRange<SequenceNumber>) {
        guard gap == nil else { return close() }
        gap = range
        position = range.upperBound
    }

    /// Takes a record.
    ///
    /// - Returns: False if there was no room for it.
    mutating func take(_ record: Record) -> Bool {
        room -= record.approximateBytes
        guard room >= 0 || records.isEmpty else {
            isFull = true
            return false
        }
        records.append(record)
        isFull = records.count >= limit
        return true
    }
}

extension Record {
    /// The approximate size of the record in text form, in bytes.
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
    /// The approximate size of the snapshot in text form, in bytes.
    var approximateBytes: Int {
        500 + payment.product.product.approximateBytes + (payment.appAccountToken?.byteCount ?? 0)
    }
}

extension Product {
    /// The approximate size of the product in text form, in bytes.
    fileprivate var approximateBytes: Int {
        400 + productIdentifier.byteCount + localizedTitle.utf8.count
            + localizedDescription.utf8.count + (iconURL?.utf8.count ?? 0)
    }
}
