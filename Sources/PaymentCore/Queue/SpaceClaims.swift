/// The bytes that accepted work may still write to files.
///
/// The claims depend only on the state of the queue. Nothing about them is therefore stored, and a
/// replay gives the same claims as the original calls.
public struct SpaceClaims: Sendable, Hashable {
    /// The bytes of the lines that open work will still write to the journal, including those of the
    /// embedded store.
    public var lines: Int
    /// The bytes that open work writes in other files after its end: an archive file and its index.
    public var others: Int
    /// The bytes of the next checkpoint: a snapshot item for each open thing, and a line of an archive
    /// file with its index entries for each closed thing in memory.
    public var images: Int

    /// Creates claims.
    public init(lines: Int = 0, others: Int = 0, images: Int = 0) {
        self.lines = lines
        self.others = others
        self.images = images
    }

    /// All bytes.
    public var total: Int { lines + others + images }

    /// The sum of two claims.
    public static func + (left: SpaceClaims, right: SpaceClaims) -> SpaceClaims {
        var sum = left
        sum += right
        return sum
    }

    static func += (left: inout SpaceClaims, right: SpaceClaims) {
        left.lines += right.lines
        left.others += right.others
        left.images += right.images
    }

    static func -= (left: inout SpaceClaims, right: SpaceClaims) {
        left.lines -= right.lines
        left.others -= right.others
        left.images -= right.images
    }
}

extension SpaceClaims {
    /// The claims of a transaction in memory.
    init(_ record: TransactionRecord) {
        let size = RecordSize(record.transaction)
        self =
            record.finished.map { SpaceClaims(ofFinished: size, key: record.key, by: $0.origin) }
            ?? SpaceClaims(ofOpen: size, key: record.key)
    }

    /// The claims of a transaction in the queue, with the key of its `add`.
    fileprivate init(ofOpen size: RecordSize, key: OpaqueText?) {
        let key = RecordSize.member("key", key)
        self.init(
            lines: size.remainingLines + (size.isWaiting ? key : 0) + size.remainingStoreLines,
            others: size.archiveLine(nil) + key + RecordSize.indexEntries,
            images: size.snapshotItem + key)
    }

    /// The claims of a transaction that has left the queue and is in no archive file yet.
    fileprivate init(ofFinished size: RecordSize, key: OpaqueText?, by origin: Origin?) {
        let key = RecordSize.member("key", key)
        self.init(images: size.archiveLine(origin) + key + RecordSize.indexEntries)
    }

    /// The claims of an open question: the record of its end, and its items in snapshots.
    static let question = SpaceClaims(lines: 1024, images: 1536)
    /// The claims of a running restore: the record of its end, its archive line, its item in snapshots.
    static let restore = SpaceClaims(lines: 512, others: 1024, images: 1024)
    /// The claims of a restore that has ended and is not in an archive file yet.
    static let endedRestore = SpaceClaims(images: 1024)
}

/// The claims of transactions and products, and the users that they are charged to.
struct ClaimedSpace: Sendable {
    /// All claims.
    private(set) var all = SpaceClaims()
    /// The bytes of the claims and of the archive files, by user. Bytes that no user has caused are
    /// charged to no user.
    private(set) var share = Share()
    private var archived: [UInt32: Int] = [:]

    mutating func take(_ claims: SpaceClaims, for user: UInt32?) {
        all += claims
        share.take(claims.total, for: user)
    }

    mutating func giveBack(_ claims: SpaceClaims, of user: UInt32?) {
        all -= claims
        share.giveBack(claims.total, of: user)
    }

    mutating func charge(archived next: [UInt32: Int]) {
        for (user, bytes) in archived { share.giveBack(bytes, of: user) }
        for (user, bytes) in next { share.take(bytes, for: user) }
        archived = next
    }
}

extension PaymentQueue {
    /// Charges users for the bytes of their closed things in archive files. It replaces earlier such
    /// charges.
    ///
    /// - Parameter archived: The bytes by user.
    public mutating func charge(archived: [UInt32: Int]) {
        claimed.charge(archived: archived)
    }

    /// Checks whether a user may cause the writing of further bytes.
    ///
    /// - Parameters:
    ///   - user: The user; nil without a client.
    ///   - bytes: The bytes that new work may write, from ``spaceNeeded(by:origin:)``.
    ///   - available: The bytes that the disk has for new work.
    /// - Throws: The user would have more than its share of the disk.
    public func requireDiskShare(
        of user: UInt32?, for bytes: Int, available: Int64
    ) throws(Refusal) {
        let number = claimed.share.total.addingReportingOverflow(Int(clamping: available))
        // A log without a disk reports unlimited room.
        guard !number.overflow else { return }
        guard
            case .beyondShare(let share) = claimed.share.verdict(
                on: user, of: number.partialValue, taking: bytes, limits)
        else { return }
        throw .shareExceeded(.diskBytes, number: number.partialValue, share: share)
    }

    /// The bytes that accepted work may still write.
    public var spaceClaims: SpaceClaims {
        var claims = claimed.all
        claims += SpaceClaims.question * questions.open.count
        claims += SpaceClaims.restore * restores.running.count
        claims += SpaceClaims.endedRestore * restores.ended.count
        return claims
    }

    /// The bytes that events need beyond the claims of their transactions; not negative.
    ///
    /// New work needs the lines of its events and its claims. An ordinary step of accepted work needs
    /// nothing, because its line was claimed. An extra step, such as a question, needs its lines.
    ///
    /// - Parameters:
    ///   - events: The events of one decision, not applied yet.
    ///   - origin: The client that caused them.
    /// - Returns: The number of bytes, an upper bound.
    public func spaceNeeded(by events: [Event], origin: Origin?) -> Int {
        var needed = 0
        let by = RecordSize.origin(origin)
        for event in events {
            guard case .transaction(let change, let transaction) = event else {
                needed += RecordSize.line(of: event) + by
                continue
            }
            let size = RecordSize(transaction)
            needed += size.line + by
            if case .added(let key) = change {
                needed += SpaceClaims(ofOpen: size, key: key).total
                continue
            }
            let known = locate(transaction.id).map { table[$0] }
            if case .removed = change {
                needed +=
                    SpaceClaims(ofFinished: size, key: known?.key, by: transaction.origin).total
            } else {
                needed += SpaceClaims(ofOpen: size, key: known?.key).total
            }
            if let known, known.isLive { needed -= SpaceClaims(known).total }
        }
        return max(0, needed)
    }

    /// Replaces the claims of a transaction by those of its next record.
    mutating func moveClaims(from last: TransactionRecord, to next: TransactionRecord) {
        claimed.giveBack(SpaceClaims(last), of: last.user)
        claimed.take(SpaceClaims(next), for: next.user)
    }
}

extension SpaceClaims {
    fileprivate static func * (claims: SpaceClaims, count: Int) -> SpaceClaims {
        SpaceClaims(
            lines: claims.lines * count, others: claims.others * count,
            images: claims.images * count)
    }
}
