import PaymentCore
import PaymentStorage

@testable import EtcdJournal

/// The whole log, as etcd has got it, and all that nodes have tried to put there.
final class LogLedger {
    /// An outcome that a node has reported for a record.
    enum Outcome: Equatable {
        /// Not yet, or never, since the node has ended.
        case open
        case committed(SequenceNumber)
        case fenced
        case failed
    }

    /// The first promise that was broken.
    private(set) var finding: String?
    /// The lines from the first on.
    private(set) var bytes: [UInt8] = []
    /// The offset of each line, and of the end.
    private var offsets = [0]
    /// The number that the next line gets.
    var next: SequenceNumber { SequenceNumber(offsets.count) }
    private(set) var head: ClusterHead?
    /// The first line that is still in etcd.
    private(set) var firstKept: SequenceNumber = 1
    private(set) var appends = 0
    private var ends: [SequenceNumber: UInt32] = [:]
    /// The records by their times, which are different.
    private(set) var records: [Int64: Outcome] = [:]
    /// The term of the owner's key; nil without one.
    private(set) var ownerTerm: UInt64?
    let keys: ClusterKeys

    init(_ keys: ClusterKeys) {
        self.keys = keys
    }

    func find(_ text: @autoclosure () -> String) {
        if finding == nil { finding = text() }
    }

    // MARK: Etcd

    /// Notes what a transaction has changed.
    func changed(
        _ changes: [(key: String, value: [UInt8]?)], revision: Int64, in etcd: SimulatedEtcd
    ) {
        var lines: (first: SequenceNumber, bytes: [UInt8])?
        var newHead: ClusterHead?
        for (key, value) in changes {
            if key == keys.head {
                newHead = value.flatMap { ClusterHead($0) }
                if newHead == nil { find("the head is gone") }
            } else if key == keys.owner {
                ownerTerm = value == nil ? nil : UInt64(revision)
            } else if let first = keys.first(ofLines: key), let value {
                if lines != nil { find("two chunks at once") }
                lines = (first, value)
            }
        }
        if changes.contains(where: { keys.first(ofLines: $0.key) != nil && $0.value == nil }) {
            noteRemoval(etcd)
        }
        guard let newHead else {
            if lines != nil { find("lines without a head") }
            return
        }
        if let lines { append(lines, newHead) }
        if let head {
            if newHead.term < head.term {
                find("a head of term \(newHead.term) follows one of term \(head.term)")
            }
            if lines == nil, newHead.end != head.end { find("the end moved without lines") }
        }
        head = newHead
        if newHead.end.next != next {
            find("the head ends before \(newHead.end.next), and the log before \(next)")
        }
        ends[newHead.end.next] = newHead.end.chain
    }

    private func append(_ lines: (first: SequenceNumber, bytes: [UInt8]), _ newHead: ClusterHead) {
        appends += 1
        guard lines.first == next else {
            return find("lines from \(lines.first) on follow line \(next - 1)")
        }
        // The beginning of the log has no owner.
        if head != nil, ownerTerm != newHead.term {
            find("an append of term \(newHead.term), and the owner's is \(ownerTerm ?? 0)")
        }
        for (offset, byte) in lines.bytes.enumerated() where byte == UInt8(ascii: "\n") {
            offsets.append(bytes.count + offset + 1)
        }
        bytes += lines.bytes
    }

    private func noteRemoval(_ etcd: SimulatedEtcd) {
        let first = etcd.firstKey(from: keys.lines(from: 0), to: keys.linesEnd)
        let kept = first.flatMap { keys.first(ofLines: $0) } ?? next
        if kept < firstKept { find("lines came back") }
        firstKept = kept
    }

    // MARK: Nodes

    /// Notes a record that a node appends, which has the outcome `open` first.
    func note(_ time: Int64, _ outcome: Outcome) {
        records[time] = outcome
    }

    /// Checks the end of a copy.
    func check(_ end: LogEnd, of name: String) {
        if end.next > next { return find("\(name) has line \(end.next - 1), and the log has not") }
        if let chain = ends[end.next], chain != end.chain {
            find("line \(end.next - 1) of \(name) is another than that of the log")
        }
    }

    /// Checks all bytes of a copy.
    func check(_ copy: [UInt8], of name: String, isWhole: Bool) {
        guard bytes.starts(with: copy) else { return find("the files of \(name) are no prefix") }
        if isWhole, copy.count != bytes.count { find("the files of \(name) are not the whole log") }
    }

    /// Checks what a copy of the whole log gives back.
    func check(_ found: [Record], of name: String) {
        var seen: [Int64: SequenceNumber] = [:]
        for record in found {
            let time = record.time.milliseconds
            if seen.updateValue(record.sequence, forKey: time) != nil {
                find("record \(time) is in the log twice")
            }
            switch records[time] {
            case nil: find("record \(time) was never appended")
            case .fenced: find("record \(time) was fenced, and is in the log")
            case .open, .committed, .failed: break
            }
        }
        for (time, outcome) in records {
            guard case .committed(let sequence) = outcome else { continue }
            if seen[time] != sequence {
                find("record \(time) was committed as \(sequence), and \(name) has it not")
            }
        }
    }
}

extension SimulatedEtcd {
    /// The first key of a range that exists.
    func firstKey(from key: String, to end: String) -> String? {
        entries(key, end, at: revision + 1).first?.key
    }
}
