public import PaymentCore

/// The findings of a start, for the log and for `status`. Storage itself logs nothing.
public struct RecoveryReport: Sendable, Hashable {
    /// Whether the store was made by this start.
    public var isNew = false
    /// Whether the last owner had stopped cleanly, so that nothing needed to be written again.
    public var wasClean = false
    /// The name of the snapshot that was loaded, nil if there was none.
    public var snapshot: String?
    /// Snapshots that did not verify and were passed over.
    public var damagedSnapshots: [String] = []
    /// Snapshots that verified.
    public var snapshots = 0
    /// Files of closed things that verified; a start does not read them.
    public var archives = 0
    /// Segments that were read to their end.
    public var segments = 0
    /// Lines that verified, with the journal's own.
    public var lines = 0
    /// Events that were replayed.
    public var events = 0
    /// Bytes that were read, snapshots included.
    public var bytesRead = 0
    /// Bytes at the end that were no acknowledged line and were cut.
    public var bytesCut = 0
    /// The name of the untouched copy of the file that was cut, inside of `quarantine/`.
    public var quarantined: String?
    /// Lines that were written again because the last owner had not stopped cleanly.
    public var linesRewritten = 0
    /// The reason why files of the journal that the embedded store had in earlier versions are still there,
    /// although nothing needs them. The next start tries again.
    public var separateStoreLeft: String?
    /// The time from the beginning of reading to the end of opening, in milliseconds. It includes what was done
    /// between the two.
    public var durationMilliseconds: UInt64 = 0

    /// A report of nothing.
    public init() {}
}

/// How far a start has come.
public struct RecoveryProgress: Sendable, Hashable {
    /// Bytes read so far.
    public var bytesDone: Int
    /// Bytes to be read in all, as far as is known.
    public var bytesTotal: Int

    /// Creates a progress report.
    public init(bytesDone: Int, bytesTotal: Int) {
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
    }

    /// Words for the status line of a service manager; nil if there is nothing to read.
    public var status: String? {
        guard bytesTotal > 0 else { return nil }
        return "replaying the journal: \(bytesDone * 100 / bytesTotal)% of \(bytesTotal >> 20) MiB"
    }
}

/// Receives what a start reads: first the lines of the snapshot, if there is one, then every event after it, in
/// order.
public protocol RecoveryVisitor: AnyObject {
    /// Takes a line of the snapshot. Anything thrown refuses the start.
    ///
    /// - Returns: False if the type of the line is not known, which refuses the start too.
    func snapshotLine(_ content: LineContent) throws -> Bool

    /// Called when the snapshot is complete, if there is one, with the last event whose effect it includes.
    /// Anything thrown refuses the start.
    func snapshotIsComplete(lastEvent: SequenceNumber) throws

    /// Takes an event. Anything thrown refuses the start.
    ///
    /// - Returns: False if the type is not known; then only an optional line is passed over.
    func event(_ line: JournalLine) throws -> Bool

    /// Called with the progress, about once per MiB.
    func progress(_ progress: RecoveryProgress)

    /// Applies what was read last. A receiver that reads quickly applies content on a thread of its own, which
    /// this call ends. It must be called once, also after a refusal. An error is an objection to the content.
    func end() throws
}

extension RecoveryVisitor {
    /// Does nothing, for receivers that apply everything at once.
    public func end() {}
}
