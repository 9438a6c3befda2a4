internal import PaymentCore

/// The sections of an index: one for each kind of lookup.
enum IndexSection: Int, CaseIterable, Sendable {
    /// Identifiers of transactions and restores.
    case id
    /// Idempotency keys. Every `add` looks up a key, so only this section has a filter.
    case key
    /// Orders of purchases.
    case order
    /// Orders that a restore returned.
    case restoredOrder
    /// Orders whose revocation was announced.
    case revokedOrder
    /// Transactions by account, in the order of closing.
    case account
}

/// An entry of an index: the hash of a key and the place of a line. The order by hash, then by place,
/// is also the order of closing among equal keys.
struct IndexEntry: Sendable, Comparable {
    /// The keyed hash.
    var hash: UInt64
    /// The number of the file in the upper 16 bits, the offset of the line in the lower 48.
    var place: UInt64

    /// The number of bytes on disk.
    static let bytes = 16
    /// The maximum number of files of one index.
    static let fileLimit = 1 << 16

    init(hash: UInt64, place: UInt64) {
        self.hash = hash
        self.place = place
    }

    init(hash: UInt64, file: Int, offset: Int) {
        precondition(file < Self.fileLimit && offset < 1 << 48, "a place exceeds its bits")
        self.init(hash: hash, place: UInt64(file) << 48 | UInt64(offset))
    }

    /// The number of the file in the index.
    var file: Int { Int(place >> 48) }
    /// The offset of the line in the file.
    var offset: Int { Int(place & 0xFFFF_FFFF_FFFF) }

    static func < (left: IndexEntry, right: IndexEntry) -> Bool {
        left.hash == right.hash ? left.place < right.place : left.hash < right.hash
    }
}

extension KeyedHash {
    /// The section and the hash under which a key is found.
    func lookup(_ key: ClosedKey) -> (section: IndexSection, hash: UInt64) {
        switch key {
        case .transaction(let id): (.id, hash(id.value))
        case .restore(let id): (.id, hash(id.value))
        case .key(let key): (.key, hash(key.string.utf8.span.bytes))
        case .order(let order): (.order, hash(order.value))
        case .restoredOrder(let order): (.restoredOrder, hash(order.value))
        case .revokedOrder(let order): (.revokedOrder, hash(order.value))
        }
    }

    /// The hash of an account. No account and an empty name share a hash; the lines differ.
    func hash(account: AccountName?) -> UInt64 {
        hash((account?.string ?? "").utf8.span.bytes)
    }
}

/// The entries of one archive file, by section.
struct IndexEntries {
    private(set) var sections = [[IndexEntry]](
        repeating: [], count: IndexSection.allCases.count)
    private let keyed: KeyedHash
    private var recent = RecentValues()

    init(_ keyed: KeyedHash) {
        self.keyed = keyed
    }

    /// Adds the keys of a line. The payload is scanned, not decoded.
    mutating func add(_ content: LineContent, file: Int, offset: Int) throws(PayloadFault) {
        let place = IndexEntry(hash: 0, file: file, offset: offset).place
        if !addPlain(content, place) { try addAny(content, place) }
    }

    /// Adds the keys of a line in any valid layout. This method defines which lines are valid.
    mutating func addAny(_ content: LineContent, _ place: UInt64) throws(PayloadFault) {
        var members = try MemberCursor(content, object: content.payloadOffset)
        if content.isWord("finished") {
            try addTransaction(content, members.require("transaction"), place)
        } else if content.isWord("order") {
            add(.order, keyed.hash(try content.identifier(members.require("order"))), place)
        } else if content.isWord("revokedOrder") {
            add(.revokedOrder, keyed.hash(try content.identifier(members.require("order"))), place)
        } else if content.isWord("endedRestore") {
            if let keys = try members.take("keys") {
                let hashes = try content.elements(keys) { offset throws(PayloadFault) in
                    try text(content, offset)
                }
                for hash in hashes { add(.key, hash, place) }
            }
            var restore = try MemberCursor(content, object: members.require("restore"))
            add(.id, keyed.hash(try content.identifier(restore.require("id"))), place)
        }
    }

    /// Sorts every section.
    mutating func sort() {
        for index in sections.indices { sections[index].sort() }
    }

    private mutating func addTransaction(
        _ content: LineContent, _ object: Int, _ place: UInt64
    ) throws(PayloadFault) {
        var members = try MemberCursor(content, object: object)
        if let account = try members.take("account") {
            add(.account, try text(content, account), place)
        } else {
            add(.account, keyed.hash(account: nil), place)
        }
        add(.id, keyed.hash(try content.identifier(members.require("id"))), place)
        if let key = try members.take("key") { add(.key, try text(content, key), place) }
        let offer = try members.take("offer")
        let isOwned = try offer.map { offset throws(PayloadFault) in
            try content.word(offset, of: PurchaseOffer.self) == .alreadyOwned
        }
        guard let order = try members.take("order") else { return }
        let state = try members.require("state")
        let hash = keyed.hash(try content.identifier(order))
        if content.isString(state, "restored") { add(.restoredOrder, hash, place) }
        if content.isString(state, "purchased"), isOwned != true { add(.order, hash, place) }
    }

    /// Adds the keys of a finished transaction that has the exact layout of the writer. Returns false for every
    /// other line, and adds nothing then. ``addAny(_:_:)`` would add the same keys.
    mutating func addPlain(_ content: LineContent, _ place: UInt64) -> Bool {
        guard content.isWord("finished") else { return false }
        return content.bytes.withUnsafeBytes { bytes in
            var cursor = LineCursor(
                bytes, from: content.payloadOffset, to: content.range.upperBound)
            guard cursor.skip("{\"at\":"), cursor.timestamp(&recent) != nil else { return false }
            if cursor.skip(",\"by\":") {
                guard cursor.author(&recent) != nil else { return false }
            }
            if cursor.skip(",\"closed\":") {
                guard cursor.number() != nil else { return false }
            }
            var layout = TransactionLayout()
            guard cursor.skip(",\"transaction\":"),
                cursor.transaction(&recent, into: &layout), cursor.skip("}}"), cursor.isAtEnd
            else { return false }
            let isOwned = layout.texts.offer.map { bytes.has("alreadyOwned", in: $0) } ?? false
            guard isOwned || layout.texts.offer == nil else { return false }
            func hash(_ part: Range<Int>) -> UInt64 {
                keyed.hash(UnsafeRawBufferPointer(rebasing: bytes[part]).bytes)
            }
            add(.account, layout.texts.account.map(hash) ?? keyed.hash(account: nil), place)
            add(.id, keyed.hash(layout.id), place)
            if let key = layout.texts.key { add(.key, hash(key), place) }
            guard let order = layout.order.map({ keyed.hash($0) }) else { return true }
            if bytes.has("restored", in: layout.texts.state) { add(.restoredOrder, order, place) }
            if !isOwned, bytes.has("purchased", in: layout.texts.state) {
                add(.order, order, place)
            }
            return true
        }
    }

    private mutating func add(_ section: IndexSection, _ hash: UInt64, _ place: UInt64) {
        sections[section.rawValue].append(IndexEntry(hash: hash, place: place))
    }

    /// The hash of a string, which rarely has escapes.
    private func text(_ content: LineContent, _ offset: Int) throws(PayloadFault) -> UInt64 {
        guard let text = content.stringContent(at: offset), !text.hasEscapes else {
            return keyed.hash(try content.string(offset).utf8.span.bytes)
        }
        return keyed.hash(content.bytes[text.content].span.bytes)
    }
}
