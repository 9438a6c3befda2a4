/// Upper bounds of the bytes that a transaction takes in files, by the texts in it.
///
/// The bounds follow the encoding of lines, which a test compares with real lines.
struct RecordSize {
    /// The line of a record in the present state of the transaction, without the origin, in bytes.
    let line: Int
    /// The line of a later record: with an order, its charge, and an account.
    private let laterLine: Int
    /// The texts in the records of an embedded store: product and account twice, in the order and in
    /// its subscription, and the token.
    private let storeTexts: Int
    /// The origin of the last record.
    private let origin: Int
    private let state: TransactionState
    private let isCharged: Bool
    private let needsNoCompletion: Bool

    /// A journal line without its origin and its payload.
    private static let frame = 114
    /// The members of a transaction that are always present, or of constant length.
    private static let members = 230
    /// Order, original order and charge.
    private static let settled = 202
    /// The kind and the reason of a failure. A longer reason of the store takes more bytes than were
    /// claimed.
    private static let failure = 116
    /// An account that is not known yet. A longer name takes more bytes than were claimed.
    private static let unknownAccount = 77
    /// The origin of a finish: a client name and a trace context of 96 bytes.
    private static let finisher = 212
    /// The removal of a transaction.
    private static let removal = 32
    /// A line of an archive file without transaction and origin.
    private static let archiveFrame = 136
    /// An item of a snapshot without its transaction, and the item of its order.
    private static let itemFrame = 216
    /// The last change, a member of snapshots and archive files that journal lines do not have.
    private static let lastChange = 40
    /// The records of an order in the embedded store, without the texts of the transaction.
    private static let storeOrder = 1200
    /// The record of a completion in the embedded store.
    private static let storeCompletion = 190

    /// The entries of one closed thing in the index of an archive file, with its share of blocks, filter
    /// and products.
    static let indexEntries = 128

    init(_ transaction: Transaction) {
        state = transaction.state
        isCharged = transaction.charge != nil
        needsNoCompletion = transaction.needsNoCompletion
        let payment = transaction.payment
        let token = Self.member("appAccountToken", payment.appAccountToken)
        let product = Self.quoted(payment.product.product.productIdentifier.string)
        let account = Self.member("account", transaction.account)
        storeTexts = 2 * (product + account) + token
        origin = Self.origin(transaction.origin)
        let base = Self.frame + Self.members + token + product
        var now = base + account
        var later = base + (transaction.account == nil ? Self.unknownAccount : account)
        if let charge = transaction.charge {
            if charge.offer == .alreadyOwned {
                now += Self.member("askedToken", transaction.requestedToken)
            }
            if let revocation = charge.revocation {
                now += 58 + Self.quoted(revocation.reason)
            }
            later += now - base - account
        } else if payment.product.product.type.isBoughtOnce {
            // The store may answer with an order that has another token.
            later += token
        }
        if transaction.order != nil || isCharged { now += Self.settled }
        later += Self.settled
        if case .failed(let failure) = state {
            let bytes = 50 + Self.quoted(failure.reason ?? "")
            now += bytes
            later += bytes
        }
        line = now
        laterLine = later
    }

    /// Whether the transaction is not sent to the store yet, so that a later record repeats its key.
    var isWaiting: Bool { state == .waiting }

    /// The bytes of the lines that the transaction will still write to the journal, without its key.
    var remainingLines: Int {
        let completing = laterLine + Self.finisher
        let removed = completing + Self.removal
        switch state {
        case .waiting, .gated: return laterLine + outcome + completing + removed
        case .submitted, .deferred: return outcome + completing + removed
        case .purchased: return needsNoCompletion ? removed : completing + removed
        case .completing, .restored, .failed: return removed
        }
    }

    /// The bytes of the records that an embedded store will still write for the transaction.
    var remainingStoreLines: Int {
        switch state {
        case .waiting, .gated, .submitted, .deferred:
            return Self.storeOrder + storeTexts + Self.storeCompletion
        case .purchased, .completing: return Self.storeCompletion
        case .restored, .failed: return 0
        }
    }

    private var outcome: Int { laterLine + Self.failure }

    /// The line of an archive file, without its key.
    ///
    /// - Parameter finish: The origin of the finish; nil if it is not known yet.
    /// - Returns: The number of bytes, an upper bound.
    func archiveLine(_ finish: Origin?) -> Int {
        let origins = finish == nil ? 2 * Self.finisher : Self.origin(finish) + origin
        return laterLine - Self.frame + Self.archiveFrame + Self.removal + Self.lastChange + origins
            + (isCharged ? 0 : Self.failure)
    }

    /// The items of a snapshot, without the key.
    var snapshotItem: Int {
        laterLine - Self.frame + Self.itemFrame + Self.lastChange
            + max(Self.finisher, origin)
    }

    /// The origin of a record; 0 without one.
    static func origin(_ origin: Origin?) -> Int {
        guard let origin else { return 0 }
        return 84 + member("client", origin.client) + member("trace", origin.trace)
    }

    /// A member with a text; 0 without one.
    static func member(_ name: StaticString, _ text: OpaqueText?) -> Int {
        guard let text else { return 0 }
        return name.utf8CodeUnitCount + 4 + quoted(text.string)
    }

    /// The size of a text in quotation marks, with escapes. Most texts need no escape. They are
    /// checked eight bytes at a time; the last eight may overlap those before them.
    static func quoted(_ text: String) -> Int {
        // SAFETY: all bytes of the text are initialized.
        let bytes = unsafe text.utf8.span.bytes
        let count = bytes.byteCount
        var index = 0
        while index + 8 <= count, bytes.word(at: index).hasNoEscapedByte { index += 8 }
        if count >= 8, index + 8 > count, bytes.word(at: count - 8).hasNoEscapedByte {
            return 2 + count
        }
        var size = 2 + count
        while index < count {
            // SAFETY: the byte is inside the span.
            let byte = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)
            size += quoted(byte) - 1
            index += 1
        }
        return size
    }

    /// A byte of a text, escaped.
    static func quoted(_ byte: UInt8) -> Int {
        if byte < 0x20 { return 6 }
        return byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : 1
    }

    /// The line of a rare event, without its origin, and the bytes that the event adds to later
    /// snapshots.
    static func line(of event: Event) -> Int {
        switch event {
        case .productRecorded(let product): 2 * (frame + self.product(product))
        case .questionOpened(let question):
            frame + 512 + (question.account.map { quoted($0.string) } ?? 0)
                + SpaceClaims.question.total
        case .questionClosed(let closing):
            frame + 256 + (closing.account.map { quoted($0.string) } ?? 0)
                + member("note", closing.note)
        case .restoreRequested(let restore, let key):
            frame + 256 + member("key", key) + member("token", restore.appAccountToken)
                + (restore.account.map { quoted($0.string) } ?? 0) + SpaceClaims.restore.total
        case .restoreJoined(_, let key): 2 * (frame + 128 + quoted(key.string))
        case .entitlementsRevoked(let revocation):
            frame + 128 + 2 * 160 * revocation.orders.count
                + revocation.products.reduce(0) { $0 + quoted($1.string) + 1 }
        case .acknowledged(let observer, _): 2 * (frame + 128 + quoted(observer.string))
        case .observerForgotten(let observer): frame + 128 + quoted(observer.string)
        case .sessionChanged(let from, let to, _):
            frame + 128 + quoted(from?.account.string ?? "") + quoted(to?.account.string ?? "")
        case .started, .countryAssumed, .forgotten, .policyChanged, .restoreEnded, .productsChanged,
            .transaction:
            frame + 384
        }
    }

    /// A recorded product in a line or a snapshot.
    static func product(_ recorded: RecordedProduct) -> Int {
        let product = recorded.product
        return 640 + quoted(product.localizedTitle) + quoted(product.localizedDescription)
            + quoted(product.iconURL ?? "") + quoted(product.productIdentifier.string)
            + quoted(product.subscriptionGroupIdentifier?.string ?? "")
    }
}

extension UInt64 {
    /// Whether none of its eight bytes is a control byte, a quotation mark or a backslash. Words with other
    /// bytes beyond ASCII may be reported as false.
    var hasNoEscapedByte: Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let isControl = self &- ones &* 0x20
        let isQuote = (self ^ ones &* UInt64(UInt8(ascii: "\""))) &- ones
        let isBackslash = (self ^ ones &* UInt64(UInt8(ascii: "\\"))) &- ones
        return (self | isControl | isQuote | isBackslash) & (ones &* 0x80) == 0
    }
}
