internal import PaymentCore

/// Reads what is left of a damaged file of closed things.
///
/// A line counts if its checksum continues the checksum that the line before it states, even if that line is
/// damaged. The file must have the header or the seal that the manifest names.
struct ArchiveSalvage {
    /// The file as the manifest names it.
    let file: ArchiveFile
    /// The lines that count, without header and seal, and the product that each of them names.
    private(set) var lines: [(line: ArchiveLine, product: RecordedProduct?)] = []
    /// The lines that do not count; nil if all of them do.
    private(set) var lost: JournalRepair.LostClosings?
    /// The bytes that do not verify.
    private(set) var doubtful: [UInt8] = []

    private let store: UniqueID
    private var decoder: EventDecoder
    private var isOfStore = false
    private var hasSeal = false
    /// The sequence number of the last line that counts.
    private var last: SequenceNumber
    private var gaps: [ClosedRange<SequenceNumber>] = []
    /// The products whose lines count, and those that lines name although their own lines are lost. The
    /// snapshot has the latter as well.
    private var products: (own: Set<UInt32>, missing: Set<UInt32>) = ([], [])

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - file: The file as the manifest names it. It may be missing.
    ///   - store: The store that the file must belong to.
    ///   - disk: The directory.
    ///   - decoder: A decoder that has read the products of the snapshot.
    /// - Throws: The disk cannot read the file.
    init(
        _ file: ArchiveFile, of store: UniqueID, on disk: any Disk, _ decoder: EventDecoder
    ) throws(DiskFailure) {
        self.file = file
        self.store = store
        self.decoder = decoder
        last = file.first
        if try disk.status(of: file.name)?.kind == .regular {
            let opened = try disk.open(file.name, .read)
            read(try opened.readBytes(at: 0, count: opened.length()))
        }
        finish()
    }

    private mutating func read(_ bytes: [UInt8]) {
        var place = 0
        var seed: UInt32? = 0
        var isChained = true
        while place < bytes.count {
            let feed = bytes.withUnsafeBytes { indexOfLineFeed(in: $0, from: place) }
            let range = place..<(feed ?? bytes.count)
            if feed != nil, let seed, let line = verified(range, in: bytes, seed), take(line, place)
            {
                if !isChained { gaps.append(min(last, line.sequence)...line.sequence) }
                last = line.sequence
                isChained = true
            } else {
                doubtful += bytes[range]
                isChained = false
            }
            let digits = bytes[range].dropFirst(LineFormat.checksumOffset).prefix(8)
            seed = LineFormat.checksum(hex: String(decoding: digits, as: UTF8.self))
            place = range.upperBound + 1
        }
        if !isChained || !hasSeal { gaps.append(last...file.last) }
    }

    private func verified(
        _ range: Range<Int>, in bytes: [UInt8], _ seed: UInt32
    ) -> ArchiveLine? {
        let checksum = bytes.withUnsafeBytes {
            LineFormat.verify(UnsafeRawBufferPointer(rebasing: $0[range]), seed: seed)
        }
        return checksum == nil ? nil : ArchiveLine(range, in: bytes)
    }

    /// Accepts a line that verifies; false if it cannot be at this place.
    private mutating func take(_ line: ArchiveLine, _ offset: Int) -> Bool {
        guard !hasSeal, line.sequence >= last, line.sequence <= file.last else { return false }
        if line.content.isWord("archive") {
            let header = ArchiveHeader(kind: file.kind, first: file.first, store: store)
            guard offset == 0, (try? ArchiveHeader(line.content)) == header else { return false }
            isOfStore = true
            return true
        }
        if line.content.isWord("seal") {
            let seal = ArchiveSeal(count: file.lines, newest: file.newest, digest: file.digest)
            guard (try? ArchiveSeal(line.content)) == seal else { return false }
            isOfStore = true
            hasSeal = true
            return true
        }
        guard let item = try? decoder.item(line.content) else { return false }
        switch item {
        case .product(let product):
            products.own.insert(product.number)
            lines.append((line, product))
        case .finished(let transaction, _, _, _):
            let product = transaction.payment.product
            if !products.own.contains(product.number) { products.missing.insert(product.number) }
            lines.append((line, product))
        default:
            lines.append((line, nil))
        }
        return true
    }

    /// Counts what is missing.
    private mutating func finish() {
        if !isOfStore {
            lines = []
            products = ([], [])
            gaps = [file.first...file.last]
        }
        let found = UInt64(lines.count + products.missing.count)
        guard file.lines > found else { return }
        var ranges: [ClosedRange<SequenceNumber>] = []
        for gap in gaps {
            if let before = ranges.last, before.upperBound >= gap.lowerBound {
                ranges[ranges.count - 1] =
                    before.lowerBound...max(before.upperBound, gap.upperBound)
            } else {
                ranges.append(gap)
            }
        }
        lost = JournalRepair.LostClosings(
            file: file.name, lines: file.lines - found, ranges: ranges)
    }
}
