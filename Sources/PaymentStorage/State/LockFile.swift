internal import PaymentCore
internal import StrictJSON

/// The file `lock`: the process that holds its lock owns the directory, and its text names that
/// process.
///
/// The text is for users, with one exception: after a clean stop it names the last line of the
/// journal. It is written after the sync of that line. A start that finds exactly this line at the
/// end can therefore rely on all bytes before it. After the journal has grown the text does not match
/// any more.
///
/// After the text come two marks, which are written in turn. Each is in a sector of its own, which a disk
/// writes whole or not at all. Both are there from the first start on. Programs of earlier versions read and
/// write the text alone.
struct LockFile: Sendable {
    private let file: any DiskFile

    /// The last line of a cleanly closed journal.
    struct CleanStop: Sendable, Equatable {
        /// Its sequence number.
        var sequence: SequenceNumber
        /// Its checksum.
        var checksum: UInt32
    }

    /// The text of the file.
    struct Text: Sendable, Equatable {
        /// The process that wrote it.
        var identity: ProcessIdentity
        /// The time when that process started.
        var started: Timestamp
        /// The last line, if the process stopped cleanly.
        var cleanStop: CleanStop?
    }

    /// The length of the text, which is padded with spaces and ends with a line feed. The file is written whole
    /// over its old text, so that a reader never finds half of it.
    private static let length = 1024
    /// The length of a mark, one sector, to which its text is padded in the same way.
    private static let markLength = 512
    /// The length of the file with its marks.
    static let wholeLength = length + 2 * markLength

    init(file: any DiskFile) {
        self.file = file
    }

    /// Takes the lock without waiting; false if another process has it.
    func lock() throws(DiskFailure) -> Bool {
        try file.lockExclusively()
    }

    /// Releases the lock.
    func unlock() {
        file.unlock()
    }

    /// The process that holds the lock according to the system; nil if unknown.
    func holder() -> Int32? {
        file.lockHolder()
    }

    /// Reads the text; nil if it is missing or not valid.
    func read() throws(DiskFailure) -> Text? {
        let bytes = try file.readAll(limit: Self.length)
        guard let value = try? JSONValue(parsing: bytes, limits: .trusted),
            let pid = value["pid"]?.intValue, let program = value["program"]?.stringValue,
            let boot = value["boot"]?.stringValue,
            let started = value["started"]?.stringValue.flatMap({ Timestamp($0) })
        else { return nil }
        let identity = ProcessIdentity(
            pid: Int32(clamping: pid), program: program, bootID: boot,
            socketPath: value["socket"]?.stringValue)
        var stop: CleanStop?
        if let clean = value["clean"], let sequence = clean["s"]?.intValue, sequence > 0,
            let checksum = clean["c"]?.stringValue.flatMap({ LineFormat.checksum(hex: $0) })
        {
            stop = CleanStop(sequence: SequenceNumber(sequence), checksum: checksum)
        }
        return Text(identity: identity, started: started, cleanStop: stop)
    }

    /// Reads the marks.
    ///
    /// - Returns: The newest mark; nil if there is none, or none that is as it was written. And whether
    ///   both are as they were written: a lost one may have been the newest.
    func marks() throws(DiskFailure) -> (newest: ProgressMark?, areWhole: Bool) {
        let bytes = try file.readAll(limit: Self.wholeLength)
        let marks = [0, 1].compactMap { slot in
            ProgressMark(
                Array(bytes.dropFirst(Self.length + slot * Self.markLength).prefix(Self.markLength))
            )
        }
        return (marks.max { $0.number < $1.number }, marks.count == 2)
    }

    /// Writes a mark over the older one of the two. It need not be durable at once: it is true
    /// whenever it gets to the disk.
    func write(_ mark: ProgressMark) throws(DiskFailure) {
        try file.writeAll(
            Self.padded(mark.text, to: Self.markLength),
            at: Self.length + Int(mark.number % 2) * Self.markLength)
    }

    /// Makes the text and the marks durable.
    func sync() throws(DiskFailure) {
        try file.sync()
    }

    /// A file without an owner, for a copy of a journal that a start can use.
    static func bytes(_ mark: ProgressMark) -> [UInt8] {
        var next = mark
        next.number = 1
        return padded([], to: length) + padded(mark.text, to: markLength)
            + padded(next.text, to: markLength)
    }

    private static func padded(_ text: [UInt8], to length: Int) -> [UInt8] {
        let spaces = [UInt8](repeating: UInt8(ascii: " "), count: max(0, length - text.count - 1))
        return text + spaces + [UInt8(ascii: "\n")]
    }

    /// Replaces the text.
    func write(_ text: Text) throws(DiskFailure) {
        var writer = JSONWriter(capacity: Self.length)
        writer.beginObject()
        writer.name("boot")
        writer.string(text.identity.bootID)
        if let stop = text.cleanStop {
            writer.name("clean")
            writer.beginObject()
            writer.name("c")
            writer.string(LineFormat.hex(stop.checksum))
            writer.name("s")
            writer.integer(stop.sequence)
            writer.endObject()
        }
        writer.name("pid")
        writer.integer(text.identity.pid)
        writer.name("program")
        writer.string(text.identity.program)
        if let socket = text.identity.socketPath {
            writer.name("socket")
            writer.string(socket)
        }
        writer.name("started")
        writer.timestamp(text.started)
        writer.endObject()
        try file.writeAll(Self.padded(writer.bytes, to: Self.length), at: 0)
    }
}
