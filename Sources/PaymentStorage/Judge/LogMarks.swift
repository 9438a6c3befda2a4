internal import PaymentCore

/// How far a log went, according to the file `lock`. It is not part of the log, so it shows that an end is
/// missing.
struct LogMarks {
    /// The last durable line, and the minimum length of its segment.
    private(set) var last: ProgressMark
    /// All lines that the file names. Each was durable before the file named it.
    private var lines: [LockFile.CleanStop]

    /// Reads the line at a clean stop, and the marks.
    ///
    /// - Parameters:
    ///   - disk: The directory.
    ///   - format: The store of the directory.
    /// - Throws: The file cannot be read, is of another store, or has no mark although one was written.
    init(_ disk: any Disk, _ format: StoreFormat) throws(RecoveryRefusal) {
        let name = FileName.lock
        let (text, mark, areWhole) = try reading(name) {
            () throws(DiskFailure) -> (LockFile.Text?, ProgressMark?, Bool) in
            guard try disk.status(of: name) != nil else { return (nil, nil, false) }
            let file = LockFile(file: try disk.open(name, .read))
            let marks = try file.marks()
            return (try file.read(), marks.newest, marks.areWhole)
        }
        last = ProgressMark(store: format.store)
        // Earlier programs write no marks.
        if format.isChecked {
            guard let mark, areWhole else {
                throw Self.missing
            }
            guard mark.store == format.store else {
                throw RecoveryRefusal(
                    .foreignFile, file: name, detail: "its mark names another store")
            }
        }
        if let mark, mark.store == format.store { last = mark }
        // An owner that wrote no marks, of an earlier version, may have shortened the segment.
        if let text, text.started != last.started { last.bytes = 0 }
        lines = [LockFile.CleanStop(sequence: last.sequence, checksum: last.checksum)]
        guard let stop = text?.cleanStop else { return }
        lines.append(stop)
        if stop.sequence >= last.sequence {
            last.sequence = stop.sequence
            last.checksum = stop.checksum
            last.bytes = 0
        }
    }

    /// The refusal of a log whose format requires a mark and which has none.
    static var missing: RecoveryRefusal {
        RecoveryRefusal(
            .badLockFile, file: FileName.lock, detail: "a mark of how far the log went is missing")
    }

    /// No mark, for a log whose end is not judged.
    init(of store: UniqueID) {
        last = ProgressMark(store: store)
        lines = []
    }

    /// Compares a line, given by its number and checksum, with those that the lock file names.
    ///
    /// A named line was durable before it was named, so another line in its place is not the one that
    /// was acknowledged.
    func check(
        _ sequence: SequenceNumber, _ checksum: UInt32, _ file: String
    ) throws(RecoveryRefusal) {
        for line in lines where line.sequence == sequence && line.checksum != checksum {
            throw RecoveryRefusal(
                .brokenLink, file: file, firstInDoubt: sequence,
                detail: "'lock' names another line \(sequence)")
        }
    }

    /// Compares the end of a log with the marks.
    ///
    /// A log that ends before a durable line has lost lines, even if all its lines verify. So has a last
    /// segment that is shorter than the mark says.
    func check(end found: LogJudge.Found) throws(RecoveryRefusal) {
        let tail = found.tail
        func refusal(at offset: Int, _ detail: String) -> RecoveryRefusal {
            RecoveryRefusal(
                .missingEnd, file: FileName.segment(first: found.position.next - tail.lines),
                offset: offset, firstInDoubt: found.position.next,
                lastInDoubt: last.sequence < found.position.next ? nil : last.sequence,
                detail: detail)
        }
        guard last.sequence < found.position.next else { throw refusal(at: tail.end, "") }
        guard !tail.isSealed, found.segments.last?.first == last.segment else { return }
        guard tail.length >= last.bytes else {
            throw refusal(at: tail.length, "the segment had at least \(last.bytes) bytes")
        }
        // The segment was filled with line feeds up to that length, and lines contain no zeros.
        if let zero = tail.firstZero, zero < last.bytes {
            throw refusal(at: zero, "zeros stand where the segment was filled with line feeds")
        }
    }
}
