internal import PaymentCore
internal import StrictJSON

/// The file `lock`: the process that holds its lock owns the directory, and its text names that
/// process.
///
/// The text is for people, with one exception: after a clean stop it names the last line of the
/// journal. It is written after that line's sync succeeded, so a start that finds exactly this
/// line at the end knows that every byte before it is on the disk. Losing the text is harmless,
/// and once the journal has grown it fits no more.
struct LockFile: Sendable {
    private let file: any DiskFile

    /// The last line of a journal that was closed.
    struct CleanStop: Sendable, Equatable {
        /// Its sequence number.
        var sequence: SequenceNumber
        /// Its checksum.
        var checksum: UInt32
    }

    /// The content of the file.
    struct Text: Sendable, Equatable {
        /// The program that wrote it.
        var identity: ProcessIdentity
        /// When that process started.
        var started: Timestamp
        /// How it stopped, if it has stopped cleanly.
        var cleanStop: CleanStop?
    }

    /// The file is written whole and over its old text, padded to this length with line feeds, so
    /// that a reader never finds half of it.
    private static let length = 1024

    init(file: any DiskFile) {
        self.file = file
    }

    /// Takes the lock without waiting; false if another process has it.
    func lock() throws(DiskFailure) -> Bool {
        try file.lockExclusively()
    }

    /// Gives the lock back.
    func unlock() {
        file.unlock()
    }

    /// The process that holds the lock, as the system knows it.
    func holder() -> Int32? {
        file.lockHolder()
    }

    /// Reads the text; nil if there is none or it is not ours.
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
        let padding = max(1, Self.length - writer.bytes.count)
        try file.writeAll(
            writer.bytes + [UInt8](repeating: UInt8(ascii: "\n"), count: padding), at: 0)
    }
}
