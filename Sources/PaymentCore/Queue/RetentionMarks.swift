/// The part of the history that retention has forgotten.
///
/// A thing is forgotten if it was closed before a record of `forgotten`, and at a time before the
/// time of that record. A later closing with an earlier time, because the clock was set back, is
/// not forgotten.
struct RetentionMarks: Sendable, Hashable {
    /// A record of `forgotten`.
    struct Mark: Sendable, Hashable {
        var before: Timestamp
        var sequence: SequenceNumber
    }

    /// The marks in the order of their records, with decreasing times: an earlier mark with an
    /// earlier time adds nothing. More than one only if the clock was set back.
    private(set) var all: [Mark] = []

    /// The time of the newest mark; nil without marks.
    var newest: Timestamp? { all.last?.before }

    mutating func add(_ before: Timestamp, at sequence: SequenceNumber) {
        while let last = all.last, last.before <= before { all.removeLast() }
        all.append(Mark(before: before, sequence: sequence))
    }

    /// Whether a thing is forgotten that a record closed at a time.
    func contains(_ time: Timestamp, closedBy sequence: SequenceNumber) -> Bool {
        all.contains { time < $0.before && sequence < $0.sequence }
    }
}
