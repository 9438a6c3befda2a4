public import PaymentCore

extension SegmentedLog {
    /// Reads durable events that follow a position, in order, verifying each.
    ///
    /// - Parameters:
    ///   - position: Events with greater sequence numbers are read.
    ///   - count: At most so many; at least 1.
    ///   - body: Gets each event. None if `position + 1` was trimmed, see ``oldest``.
    /// - Throws: The events cannot be read; nothing else is affected.
    public func read(
        after position: SequenceNumber, count: Int,
        _ body: (JournalLine) throws(PayloadFault) -> Void
    ) throws(JournalFailure) {
        precondition(count > 0, "a page of the journal has at least one record")
        guard position < durableHead, position + 1 >= oldest else { return }
        var place = bookmarks.take(position) ?? indexed(position + 1)
        var left = count
        while left > 0 {
            let isFinished = try readSegment(&place, after: position, &left, body)
            guard isFinished, left > 0, place.segment + 1 < segments.count else { break }
            let next = place.segment + 1
            place = Bookmarks.Place(segment: next, entry: segments[next].index.entry(for: 0))
        }
        bookmarks.keep(place)
    }

    private func indexed(_ sequence: SequenceNumber) -> Bookmarks.Place {
        let segment = segments.lastIndex { $0.first <= sequence } ?? 0
        return Bookmarks.Place(
            segment: segment, entry: segments[segment].index.entry(for: sequence))
    }

    /// Reads on in one segment and moves the place; true when the segment has no more lines.
    private func readSegment(
        _ place: inout Bookmarks.Place, after position: SequenceNumber, _ left: inout Int,
        _ body: (JournalLine) throws(PayloadFault) -> Void
    ) throws(JournalFailure) -> Bool {
        let segment = segments[place.segment]
        let isActive = place.segment == segments.count - 1
        do {
            let file = isActive ? active.file : try directory.disk.open(segment.name, .read)
            let limit = isActive ? active.end : try file.length()
            var scanner = SegmentScanner(
                file: file, offset: place.entry.offset, limit: limit, chain: place.entry.chain,
                expected: place.entry.sequence, sliceBytes: 1 << 17,
                lineLimit: policy.lineLimitBytes)
            while left > 0 {
                segments[place.segment].index.offer(scanner.entry)
                switch try scanner.next() {
                case .line(let line):
                    guard line.sequence > position, !line.isInternal else { continue }
                    try body(line)
                    left -= 1
                    place.entry = scanner.entry
                case .end:
                    place.entry = scanner.entry
                    return true
                case .damaged:
                    throw damaged(segment.name, scanner.offset)
                }
            }
            return false
        } catch let failure as DiskFailure {
            throw JournalFailure(failure)
        } catch let fault as PayloadFault {
            throw JournalFailure(
                "cannot read journal '\(segment.name)' at byte \(place.entry.offset): \(fault)")
        } catch let failure as JournalFailure {
            throw failure
        } catch {
            throw JournalFailure("cannot read journal '\(segment.name)': \(error)")
        }
    }

    private func damaged(_ name: String, _ offset: Int) -> JournalFailure {
        JournalFailure("cannot read journal '\(name)': it is damaged at byte \(offset)")
    }
}

extension SegmentScanner {
    /// The next line, as the index names lines.
    var entry: SparseIndex.Entry {
        SparseIndex.Entry(sequence: expected, offset: offset, chain: chain)
    }
}

/// Where the last few readers stopped, so that reading page by page never reads a line twice.
struct Bookmarks {
    /// A line to go on at.
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

    /// Forgets everything, because segments were trimmed.
    mutating func removeAll() {
        places.removeAll()
        order.removeAll()
    }
}
