public import PaymentCore

/// Keeps one log over the processes that open it, one after another.
public protocol LogPlace: AnyObject {
    /// Opens the log for a new process; the one before has been killed.
    func open(_ replay: any LogReplay) throws -> any RecordLog

    /// Does what the log put off, until it has answered everything.
    func settle()

    /// Ends the process at once: what was not committed may be lost.
    func kill()

    /// Makes the next commit fail.
    func failNextCommit()

    /// Opens the log for a second process while the first one lives; nil where a lock refuses that.
    func takeOver() throws -> (any RecordLog)?
}

/// The rules that every log keeps, wherever its records are: local files, a simulated medium, memory.
public enum LogRule: String, Sendable, CaseIterable {
    case commitsBeforeItIsRead = "what is appended is read when it is committed, not before"
    case survivesTheProcess = "a new process gets every committed record, in order"
    case commitsNothingAtOnce = "a batch without records is committed at once"
    case collectsTheNextBatch = "what is appended during a commit belongs to the next batch"
    case readsByCursor = "reading goes on behind a position, skips nothing and ends at the head"
    case probesWithoutCommitting = "a probe answers and leaves the open batch alone"
    case ascends = "sequence numbers ascend, idle marks between them or not"
    case failsAsAWhole = "after a failed commit nothing behind a prefix of its batch is kept"
    case fencesTheFormerOwner = "a former owner commits nothing and learns the term of the new one"

    /// A rule that a log has broken.
    public struct Broken: Error, CustomStringConvertible {
        /// A sentence about what the log did.
        public let description: String
    }

    /// Tries the rule with a log that holds nothing yet.
    ///
    /// - Throws: ``Broken``, or what the log throws.
    public func check(_ place: some LogPlace) throws {
        var process = try Process(place)
        switch self {
        case .commitsBeforeItIsRead:
            let first = process.append()
            try expect(process.records().isEmpty, "a record was read that is not committed")
            try process.commit()
            try expect(process.records() == [first], "the committed record was not read")
        case .survivesTheProcess:
            var kept: [SequenceNumber] = []
            for size in 1...5 {
                for _ in 0..<size { kept.append(process.append()) }
                try process.commit()
            }
            let lost = process.append()
            place.kill()
            process = try Process(place)
            let found = process.found.filter { $0 < lost }
            try expect(found == kept, "replayed \(found) in place of \(kept)")
            try expect(process.log.head >= kept[kept.count - 1], "the head went back")
        case .commitsNothingAtOnce:
            try expect(
                process.log.submit { _ in } == .committed, "an empty batch was not committed")
        case .collectsTheNextBatch:
            let first = process.append()
            let answer = process.submit()
            let second = process.append()
            place.settle()
            try expect(answer.result == .committed, "the batch was not committed")
            try expect(process.records() == [first], "the next batch was committed with the first")
            try process.commit()
            try expect(process.records() == [first, second], "the next batch was not committed")
        case .readsByCursor: try readByCursor(process)
        case .probesWithoutCommitting:
            _ = process.append()
            let answer = CommitAnswer()
            if let now = process.log.probe({ answer.result = $0 }) { answer.result = now }
            place.settle()
            try expect(answer.result == .committed, "the probe got no answer")
            try expect(process.records().isEmpty, "the probe committed the open batch")
        case .ascends:
            var last: SequenceNumber = 0
            for _ in 0..<4 {
                let next = process.append()
                try expect(next > last, "\(next) follows \(last)")
                last = next
                try process.commit()
                try process.log.markIdle()
            }
        case .failsAsAWhole: try failAsAWhole(process, place)
        case .fencesTheFormerOwner: try fence(process, place)
        }
    }

    private func readByCursor(_ process: Process) throws {
        var all: [SequenceNumber] = []
        for _ in 0..<50 {
            for _ in 0..<3 { all.append(process.append()) }
            try process.commit()
        }
        for count in [1, 7, 64, 1000] {
            var read: [SequenceNumber] = []
            while true {
                let page = try process.log.records(after: read.last ?? 0, count: count)
                try expect(page.count <= count, "a page of \(count) has \(page.count) records")
                guard !page.isEmpty else { break }
                read += page.map(\.sequence)
            }
            try expect(read == all, "pages of \(count) gave \(read)")
        }
        try expect(
            process.log.records(after: process.log.head, count: 1).isEmpty, "read past the head")
    }

    private func failAsAWhole(_ process: Process, _ place: some LogPlace) throws {
        let kept = process.append()
        try process.commit()
        place.failNextCommit()
        let batch = [process.append(), process.append(), process.append()]
        let answer = process.submit()
        place.settle()
        guard case .failed = answer.result else {
            throw Broken(description: "the commit answered \(String(describing: answer.result))")
        }
        place.kill()
        let found = try Process(place).found
        try expect(found.first == kept, "a record of an earlier batch is gone")
        let rest = Array(found.dropFirst())
        try expect(rest == Array(batch.prefix(rest.count)), "\(rest) is no prefix of \(batch)")
    }

    private func fence(_ former: Process, _ place: some LogPlace) throws {
        let kept = former.append()
        try former.commit()
        guard let log = try place.takeOver() else { return }
        let owner = Process(log, place)
        try expect(owner.log.term > former.log.term, "the term did not grow")
        _ = former.append()
        let answer = former.submit()
        place.settle()
        try expect(answer.result == .fenced(by: owner.log.term), "the former owner committed")
        let next = owner.append()
        try owner.commit()
        try expect(owner.records() == [kept, next], "the log is not what the owner committed")
    }

    private func expect(_ isTrue: @autoclosure () throws -> Bool, _ otherwise: String) throws {
        if try !isTrue() { throw Broken(description: otherwise) }
    }
}

/// The answer to a commit, once it has come.
private final class CommitAnswer {
    var result: CommitResult?
}

/// A process that has opened the log.
private struct Process {
    let log: any RecordLog
    let place: any LogPlace
    /// The records that opening it gave back.
    var found: [SequenceNumber] = []

    init(_ place: any LogPlace) throws {
        let seen = SeenReplay()
        log = try place.open(seen)
        self.place = place
        found = seen.records.map(\.sequence)
    }

    init(_ log: any RecordLog, _ place: any LogPlace) {
        self.log = log
        self.place = place
    }

    func append() -> SequenceNumber {
        log.append(.countryAssumed(nil), time: Samples.noon, origin: nil)
    }

    func submit() -> CommitAnswer {
        let answer = CommitAnswer()
        if let now = log.submit({ answer.result = $0 }) { answer.result = now }
        return answer
    }

    func commit() throws {
        let answer = submit()
        place.settle()
        guard answer.result == .committed else {
            throw LogRule.Broken(
                description: "a commit answered \(String(describing: answer.result))")
        }
    }

    func records() throws -> [SequenceNumber] {
        try log.records(after: 0, count: 1000).map(\.sequence)
    }
}
