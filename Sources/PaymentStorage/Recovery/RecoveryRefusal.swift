public import PaymentCore
internal import StrictJSON

/// The journal cannot be trusted, and starting would mean guessing. Nothing was written.
public struct RecoveryRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file that is in doubt.
    public var file: String
    /// The directory of the file, if known.
    public var directory: String?
    /// Where in it, in bytes; nil if the file as a whole is meant.
    public let offset: Int?
    /// The first sequence number that is missing or in doubt, if known.
    public let firstInDoubt: SequenceNumber?
    /// The last sequence number that is known to have existed.
    public let lastInDoubt: SequenceNumber?
    /// The problem.
    public let reason: Reason
    /// More about it, for people.
    public let detail: String
    /// Identifiers that can still be read around the place, for a repair by hand.
    public let identifiers: [String]

    /// The kinds of problem. The words are stable.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A line is not what its checksum says, and later batches followed it.
        case badChecksum
        /// A line has no end, and later batches followed it.
        case unfinishedLine
        /// A line is longer than lines are.
        case lineTooLong
        /// A sequence number is missing or comes twice.
        case sequenceGap
        /// Lines that were there when the last owner stopped are missing from the end.
        case missingEnd
        /// A line verified, but is no line of this format.
        case malformedLine
        /// A line verified, but its type is not known and must not be passed over.
        case unknownType
        /// A line verified, but cannot have happened after those before it.
        case inconsistentRecord
        /// A store that belongs to this one is not there.
        case missingPart
        /// A file of closed things is not there, or is not what was written.
        case missingHistory
        /// A segment is not there.
        case missingSegment
        /// A segment does not begin with its header, which it had before it had its name.
        case missingHeader
        /// A segment that has a successor ends without a seal.
        case missingSeal
        /// A segment does not follow the one before it.
        case brokenLink
        /// A file belongs to another store.
        case foreignFile
        /// No snapshot can be read and the log does not reach back to the beginning.
        case noUsableSnapshot
        /// `format.json` is missing or cannot be read.
        case badFormatFile
        /// `lock` has no valid record of how far the log went.
        case badLockFile
        /// The format is newer than this program.
        case unsupportedVersion
        /// The disk could not read the file.
        case unreadable
    }

    /// Creates a refusal.
    public init(
        _ reason: Reason, file: String, offset: Int? = nil, firstInDoubt: SequenceNumber? = nil,
        lastInDoubt: SequenceNumber? = nil, detail: String = "", identifiers: [String] = []
    ) {
        self.reason = reason
        self.file = file
        self.offset = offset
        self.firstInDoubt = firstInDoubt
        self.lastInDoubt = lastInDoubt
        self.detail = detail
        self.identifiers = identifiers
    }

    /// The refusal of a queue whose store in a subdirectory is gone.
    static func missingPart(_ name: String) -> RecoveryRefusal {
        RecoveryRefusal(
            .missingPart, file: "\(name)/\(FileName.format)",
            detail: "the store in '\(name)' has orders of this queue")
    }

    /// A sentence for people.
    public var description: String {
        let path = directory.map { "\($0)/\(file)" } ?? file
        return "journal refused: \(text(reason.rawValue + " in '\(path)'"))"
    }

    /// The problem without the file.
    var findingText: String { text(reason.rawValue) }

    private func text(_ start: String) -> String {
        var text = start
        if let offset { text += " at byte \(offset)" }
        if let firstInDoubt {
            text += ", in doubt from sequence \(firstInDoubt)"
            if let lastInDoubt { text += " to \(lastInDoubt)" }
        }
        return detail.isEmpty ? text : "\(text): \(detail)"
    }

    /// One line of JSON for programs: `reason`, `directory`, `file`, `offset`, `firstInDoubt`,
    /// `lastInDoubt`, `detail`, `identifiers`.
    public var jsonText: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("reason")
        writer.string(reason.rawValue)
        if let directory {
            writer.name("directory")
            writer.string(directory)
        }
        writer.name("file")
        writer.string(file)
        if let offset {
            writer.name("offset")
            writer.integer(offset)
        }
        if let firstInDoubt {
            writer.name("firstInDoubt")
            writer.integer(firstInDoubt)
        }
        if let lastInDoubt {
            writer.name("lastInDoubt")
            writer.integer(lastInDoubt)
        }
        writer.name("detail")
        writer.string(detail)
        writer.name("identifiers")
        writer.beginArray()
        for identifier in identifiers {
            writer.element()
            writer.string(identifier)
        }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// Runs a read of a file. A read error refuses the start, because the file may have acknowledged lines.
///
/// - Parameters:
///   - name: The file.
///   - body: Reads it.
/// - Returns: What `body` returns.
/// - Throws: The disk could not read the file.
func reading<Result>(
    _ name: String, _ body: () throws(DiskFailure) -> Result
) throws(RecoveryRefusal) -> Result {
    do {
        return try body()
    } catch {
        throw RecoveryRefusal(.unreadable, file: name, detail: error.description)
    }
}
