internal import PaymentCore

/// The segments of a log that are kept, oldest first. Lines are read from here.
struct SegmentList {
    private(set) var all: [Segment]
    private var bookmarks = Bookmarks()
    /// The damage that readers have found.
    private(set) var damage: [Damage] = []

    /// The segments that recovery found; at least one.
    init(_ segments: [Segment]) {
        all = segments
    }

    /// The active segment.
    var last: Segment { all[all.count - 1] }

    /// The oldest sequence number that can still be read; 1 in a new journal.
    var oldest: SequenceNumber { all[0].lastEventBefore + 1 }

    /// Adds the next segment, to which lines are written from now on.
    mutating func append(_ segment: Segment) {
        all.append(segment)
    }

    /// Counts durable bytes of the active segment and offers their lines to its index. The offsets of the
    /// entries count from `start`.
    mutating func extendLast(
        by entries: [SparseIndex.Entry], from start: Int, to end: Int, storeBytes: Int
    ) {
        let last = all.count - 1
        for entry in entries {
            var entry = entry
            entry.offset += start
            all[last].index.offer(entry)
        }
        all[last].bytes = end
        all[last].storeBytes += storeBytes
    }

    /// Reads durable events that follow a position; see ``SegmentedLog/read(after:count:_:)``.
    mutating func read(
        after position: SequenceNumber, count: Int, from writer: SegmentWriter,
        _ body: (JournalLine) throws(PayloadFault) -> Void
    ) throws(JournalFailure) -> SequenceNumber {
        guard position < writer.durableHead, position + 1 >= oldest else { return position }
        var place = bookmarks.take(position) ?? indexed(position + 1)
        var left = Appetite(events: count)
        while !left.isOver {
            switch try readSegment(&place, after: position, &left, writer, body) {
            case .full: break
            case .end:
                guard place.segment + 1 < all.count else { break }
                place = beginning(of: place.segment + 1)
                continue
            case .damaged(let detail):
                // The lines read so far are good. The next call begins here.
                guard left.events == count else { break }
                let found = try damage(at: place, detail, writer)
                place = found.next
                let range = found.range
                bookmarks.keep(place)
                guard range.upperBound <= position else {
                    throw JournalFailure(
                        "cannot read journal '\(found.report.file)': \(found.report.detail)",
                        unreadable: max(range.lowerBound, position + 1)...range.upperBound)
                }
                continue
            }
            break
        }
        bookmarks.keep(place)
        return min(max(position, place.entry.sequence - 1), writer.durableHead)
    }

    /// The number of events and bytes that one call may still read.
    private struct Appetite {
        /// The events.
        var events: Int
        /// The bytes of other lines. Renewals in the embedded store can fill files without any event.
        var otherBytes = 1 << 18

        var isOver: Bool { events <= 0 || otherBytes <= 0 }
    }

    private func indexed(_ sequence: SequenceNumber) -> Bookmarks.Place {
        let segment = all.lastIndex { $0.first <= sequence } ?? 0
        return Bookmarks.Place(segment: segment, entry: all[segment].index.entry(for: sequence))
    }

    private func beginning(of segment: Int) -> Bookmarks.Place {
        Bookmarks.Place(segment: segment, entry: all[segment].index.entry(for: 0))
    }

    /// How reading a segment ended.
    private enum Ending {
        /// The call has read as much as it may.
        case full
        /// The segment has no more lines.
        case end
        /// The line at the place cannot be read.
        case damaged(String)
    }

    /// Reads on in one segment and moves the place.
    private mutating func readSegment(
        _ place: inout Bookmarks.Place, after position: SequenceNumber, _ left: inout Appetite,
        _ writer: SegmentWriter, _ body: (JournalLine) throws(PayloadFault) -> Void
    ) throws(JournalFailure) -> Ending {
        let name = all[place.segment].name
        let isActive = place.segment == all.count - 1
        do {
            let file = isActive ? writer.active.file : try writer.disk.open(name, .read)
            let limit = isActive ? writer.active.end : try file.length()
            var scanner = SegmentScanner(
                file: file, offset: place.entry.offset, limit: limit, chain: place.entry.chain,
                expected: place.entry.sequence, sliceBytes: 1 << 17,
                lineLimit: writer.settings.policy.lineLimitBytes)
            while !left.isOver {
                all[place.segment].index.offer(scanner.entry)
                place.entry = scanner.entry
                // The seal ends a segment, also if other bytes follow it in the file.
                if !isActive, scanner.expected == all[place.segment + 1].first { return .end }
                switch try scanner.next() {
                case .line(let line):
                    guard line.sequence > position else { continue }
                    if line.isHole {
                        left.otherBytes -= line.content.range.count
                    } else {
                        try body(line)
                        left.events -= 1
                    }
                    place.entry = scanner.entry
                case .end:
                    guard isActive else {
                        return .damaged("it ends at byte \(scanner.offset), before its seal")
                    }
                    return .end
                case .damaged:
                    return .damaged("it is damaged at byte \(scanner.offset)")
                }
            }
            return .full
        } catch let failure as DiskFailure {
            guard !isActive, failure.isOfFile else { throw JournalFailure(failure) }
            return .damaged(failure.description)
        } catch let fault as PayloadFault {
            throw JournalFailure(
                "cannot read journal '\(name)' at byte \(place.entry.offset): \(fault)")
        } catch {
            throw JournalFailure("cannot read journal '\(name)': \(error)")
        }
    }

    /// Finds the place after a damaged one at which reading can continue. For sealed segments the result is
    /// kept.
    private mutating func damage(
        at place: Bookmarks.Place, _ detail: String, _ writer: SegmentWriter
    ) throws(JournalFailure) -> Damage {
        let segment = all[place.segment]
        let isActive = place.segment == all.count - 1
        let known = damage.first {
            $0.report.file == segment.name && $0.range.lowerBound == place.entry.sequence
        }
        if let known, !isActive { return known }
        var start = place.entry
        var next = isActive ? nil : beginning(of: place.segment + 1)
        let bound = next?.entry.sequence ?? writer.durableHead + 1
        let file = isActive ? writer.active.file : try? writer.disk.open(segment.name, .read)
        if let bytes = try? file?.readAll(limit: isActive ? writer.active.end : .max) {
            var lines = SalvagedLines(
                bytes, at: start, upTo: bound, lineLimit: writer.settings.policy.lineLimitBytes)
            if lines.next(resuming: true) != nil {
                next = Bookmarks.Place(segment: place.segment, entry: lines.entry)
            }
        } else {
            // A file that cannot be read is passed over as a whole.
            start = beginning(of: place.segment).entry
        }
        guard let next, next.entry.sequence > start.sequence else {
            throw JournalFailure("cannot read journal '\(segment.name)': \(detail)")
        }
        let range = start.sequence...next.entry.sequence - 1
        let found = Damage(
            report: StorageDamage(
                file: segment.name, offset: start.offset, first: range.lowerBound,
                last: range.upperBound, detail: detail),
            range: range, next: next)
        damage.removeAll {
            $0.report.file == segment.name && $0.range.lowerBound == range.lowerBound
        }
        damage.append(found)
        return found
    }

    /// A part of a segment that cannot be read.
    struct Damage {
        /// The damage as reports show it.
        var report: StorageDamage
        /// The lines that cannot be read.
        var range: ClosedRange<SequenceNumber>
        /// The place at which reading continues.
        fileprivate var next: Bookmarks.Place
    }

    /// Removes segments from the list that neither the policy keeps nor the older one of the two snapshots
    /// needs. That snapshot covers all lines up to `older`.
    mutating func trim(
        upTo older: SequenceNumber, keeping retention: RetentionPolicy, now: Timestamp
    ) {
        var kept = all[...]
        while Self.isWorthTrimming(kept, retention, now),
            kept[kept.startIndex + 1].first <= older + 1
        {
            kept.removeFirst()
        }
        guard kept.count < all.count else { return }
        let removed = all.count - kept.count
        all = Array(kept)
        // Bookmarks count segments from the first in the list.
        bookmarks = Bookmarks()
        damage.removeAll { found in !all.contains { $0.name == found.report.file } }
        for index in damage.indices { damage[index].next.segment -= removed }
    }

    /// Whether the policy lets the oldest segment go.
    func isWorthTrimming(keeping retention: RetentionPolicy, now: Timestamp) -> Bool {
        Self.isWorthTrimming(all[...], retention, now)
    }

    /// Whether the policy permits removing the first of these segments: the events exceed the permitted bytes,
    /// or the whole segment is too old. The last segment always stays.
    ///
    /// Lines of the embedded store count only when all lines together exceed four times the permitted bytes.
    /// Ordinary purchases therefore do not shorten the range that is kept for readers of events.
    private static func isWorthTrimming(
        _ kept: ArraySlice<Segment>, _ retention: RetentionPolicy, _ now: Timestamp
    ) -> Bool {
        guard kept.count > 1 else { return false }
        let bytes = kept.reduce(0) { $0 + Int64($1.bytes - $1.storeBytes) }
        let all = kept.reduce(0) { $0 + Int64($1.bytes) }
        return bytes > retention.keepBytes || all / 4 > retention.keepBytes
            || kept[kept.startIndex + 1].began < now.advanced(bySeconds: -retention.keepSeconds)
    }
}

extension SegmentScanner {
    /// The next line, as the index names lines.
    var entry: SparseIndex.Entry {
        SparseIndex.Entry(sequence: expected, offset: offset, chain: chain)
    }
}

/// The places where the last few readers stopped, so that reading page by page never reads a line twice.
struct Bookmarks {
    /// A line to continue at.
    struct Place {
        /// The index of the segment in the list.
        var segment: Int
        /// The line.
        var entry: SparseIndex.Entry
    }

    private var places: [SequenceNumber: Place] = [:]
    private var order: [SequenceNumber] = []

    /// Takes out the place from which everything after `position` is read.
    mutating func take(_ position: SequenceNumber) -> Place? {
        guard let place = places.removeValue(forKey: position + 1) else { return nil }
        order.removeAll { $0 == position + 1 }
        return place
    }

    /// Remembers a place, and forgets the oldest of more than 32.
    mutating func keep(_ place: Place) {
        let next = place.entry.sequence
        if places.updateValue(place, forKey: next) == nil { order.append(next) }
        if order.count > 32 { places[order.removeFirst()] = nil }
    }
}
