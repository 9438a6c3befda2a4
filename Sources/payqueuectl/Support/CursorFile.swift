import FoundationEssentials
import PaymentClient
import StrictJSON

/// The cursor of a log reader, in a file with one JSON object.
struct CursorFile {
    let path: String

    /// The stored cursor; nil if the file does not exist.
    ///
    /// - Throws: ``CommandFailure`` for a file with other content.
    func load() throws -> EventCursor? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path),
            let value = try? JSONValue(parsing: String(decoding: data, as: UTF8.self)),
            let epoch = value["epoch"]?.stringValue, let sequence = value["seq"]?.intValue
        else {
            throw CommandFailure(
                .usage, "cannot resume from '\(path)': it contains no cursor",
                advice: "name another file, or remove it to start over")
        }
        return EventCursor(epoch: epoch, sequence: sequence)
    }

    /// Replaces the file as a whole.
    func store(_ cursor: EventCursor) throws {
        let text = JSONValue.parameters([
            ("epoch", .string(cursor.epoch)), ("seq", .integer(cursor.sequence)),
        ])
        do {
            try Data(((text ?? .null).jsonText() + "\n").utf8)
                .write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw CommandFailure(
                .refused, "cannot store the cursor in '\(path)': \(FileReason.phrase(error))",
                advice: "name a file in a directory that this user may write to")
        }
    }
}
