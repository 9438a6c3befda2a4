internal import Crypto
internal import PaymentCore

extension LogJudge {
    /// Reads one segment and moves the position after it.
    mutating func readSegment(
        _ first: SequenceNumber, _ found: inout Found, isLast: Bool
    ) throws {
        let name = FileName.segment(first: first)
        guard first == found.position.next else {
            throw RecoveryRefusal(
                .missingSegment, file: FileName.segment(first: found.position.next),
                firstInDoubt: found.position.next, lastInDoubt: first - 1)
        }
        let file = try reading(name) { () throws(DiskFailure) in try disk.open(name, .read) }
        let length = try reading(name) { () throws(DiskFailure) in try file.length() }
        var scanner = SegmentScanner(
            file: file, limit: length, expected: first, lineLimit: policy.lineLimitBytes)
        var tail = Tail()
        scan: while true {
            let entry = scanner.entry
            let step = try reading(name) { () throws(DiskFailure) in try scanner.next() }
            switch step {
            case .line(let line):
                try take(line, name, entry, &tail, &found)
                if isLast || isDeep {
                    scanner.withLastLine { tail.digest.update(bufferPointer: $0) }
                }
                tail.end = scanner.offset
                tail.chain = scanner.chain
                didRead(scanner.offset - entry.offset)
                try found.marks.check(line.sequence, scanner.chain, name)
            case .end:
                break scan
            case .damaged(let reason):
                tail.bytesInDoubt = try TailJudge.bytesToCut(
                    reason, file, name, scanner, length, isLast: isLast,
                    mayTearAnywhere: found.marks.last.isCopy
                        && scanner.expected > found.marks.last.sequence)
                break scan
            }
        }
        if isLast {
            tail.length = length
            tail.firstZero = try TailJudge.firstZero(file, name, from: tail.end, length)
        }
        guard tail.lines > 0 else {
            throw RecoveryRefusal(.missingHeader, file: name, offset: 0, firstInDoubt: first)
        }
        guard isLast || tail.isSealed else {
            throw RecoveryRefusal(
                .missingSeal, file: name, offset: tail.end, firstInDoubt: scanner.expected)
        }
        report.segments += 1
        found.tail = tail
        found.position.next = scanner.expected
        found.position.previous = SegmentHeader.Previous(
            checksum: tail.chain, digest: isLast || isDeep ? tail.digest.hex : "")
        found.segments[found.segments.count - 1].bytes = tail.end
    }

    private mutating func take(
        _ line: JournalLine, _ name: String, _ entry: SparseIndex.Entry, _ tail: inout Tail,
        _ found: inout Found
    ) throws {
        func refusal(_ reason: RecoveryRefusal.Reason, _ detail: String) -> RecoveryRefusal {
            RecoveryRefusal(
                reason, file: name, offset: entry.offset, firstInDoubt: line.sequence,
                detail: detail)
        }
        guard !tail.isSealed else { throw refusal(.malformedLine, "a line follows the seal") }
        tail.endsWithRecord = false
        if tail.lines == 0 {
            try takeHeader(line, name, &tail, &found)
        } else if line.content.isWord("seal") {
            guard let seal = try? SegmentSeal(line), seal.count == tail.lines,
                !isDeep || seal.digest == tail.digest.hex
            else { throw refusal(.malformedLine, "the seal counts other lines") }
            tail.isSealed = true
        } else if line.content.isWord("segment") {
            throw refusal(.malformedLine, "a second header")
        } else if !line.content.isWord("mark") {
            do {
                guard try !found.isReplayed || visitor.event(line) || line.isOptional else {
                    throw refusal(.unknownType, "'\(line.content.word)'")
                }
            } catch let refusal as RecoveryRefusal {
                throw refusal
            } catch {
                throw refusal(.inconsistentRecord, "\(error)")
            }
            tail.endsWithRecord = true
            if line.content.isOfStore {
                found.position.storeBytes += UInt64(line.byteCount)
                found.segments[found.segments.count - 1].storeBytes += line.byteCount
            } else {
                found.position.lastEvent = line.sequence
                report.events += 1
            }
            if found.isReplayed { replayedEvents += 1 }
        }
        if tail.lines == 0 || line.batch != tail.lastBatch.first {
            tail.lastBatch = (entry.offset, line.batch)
        }
        if tail.lines == 0 { tail.behindMark = (entry.offset, line.sequence) }
        if line.sequence == found.marks.last.sequence {
            tail.behindMark = (entry.offset + line.byteCount, line.sequence + 1)
        }
        tail.lines += 1
        report.lines += 1
        firstLine = min(firstLine ?? line.sequence, line.sequence)
        found.segments[found.segments.count - 1].index.offer(entry)
    }

    private func takeHeader(
        _ line: JournalLine, _ name: String, _ tail: inout Tail, _ found: inout Found
    ) throws {
        let header: SegmentHeader
        let began: Timestamp
        do {
            header = try SegmentHeader(line)
            began = try line.time()
        } catch {
            throw RecoveryRefusal(
                .malformedLine, file: name, offset: 0, firstInDoubt: line.sequence,
                detail: error.description)
        }
        guard header.store == found.format.store else {
            throw RecoveryRefusal(.foreignFile, file: name)
        }
        if let before = found.segments.last, before.number + 1 != header.number {
            throw RecoveryRefusal(
                .missingSegment, file: name, firstInDoubt: before.first,
                lastInDoubt: line.sequence - 1,
                detail: "segment \(before.number) is followed by segment \(header.number)")
        }
        if !found.isReplayed, found.segments.isEmpty {
            // The content before the oldest kept segment is not known any more.
            found.position.segmentNumber = header.number &- 1
            found.position.lastEvent = header.lastEvent
            found.position.storeBytes = header.storeBytes
            found.position.previous = header.previous
        }
        let position = found.position
        guard header.number == position.segmentNumber + 1,
            header.lastEvent == position.lastEvent, header.storeBytes == position.storeBytes,
            header.previous?.checksum == position.previous?.checksum,
            !isDeep || header.previous?.digest == position.previous?.digest
        else {
            throw RecoveryRefusal(
                .brokenLink, file: name, offset: 0, firstInDoubt: line.sequence,
                detail: "the header names another segment before it")
        }
        found.position.segmentNumber = header.number
        tail.previous = header.previous
        found.segments.countStoreBytes(upTo: header)
        found.segments.append(
            Segment(
                name: name, number: header.number, first: line.sequence,
                lastEventBefore: header.lastEvent, began: began,
                storeBytesBefore: header.storeBytes, bytes: 0,
                index: SparseIndex(first: line.sequence, policy: policy)))
    }
}
