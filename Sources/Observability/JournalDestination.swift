internal import Logging
internal import Systemd

/// A destination that sends lines to the journal, with a searchable field per metadata value.
struct JournalDestination: LogDestination {
    let fieldPrefix: String
    let messageIDs: [String: JournalMessageID]
    let send: @Sendable (JournalEntry) -> Void

    init(
        fieldPrefix: String, messageIDs: [String: String] = [:],
        send: @escaping @Sendable (JournalEntry) -> Void
    ) {
        self.fieldPrefix = fieldPrefix
        self.messageIDs = messageIDs.compactMapValues { JournalMessageID($0) }
        self.send = send
    }

    func write(_ record: LogRecord) {
        send(entry(record))
    }

    /// The journal entry of a line. Its message repeats the metadata, because a plain listing of
    /// the journal shows only the message.
    func entry(_ record: LogRecord) -> JournalEntry {
        var entry = JournalEntry(
            message: TextDestination.sentence(record), priority: record.level.priority)
        entry.messageID = messageIDs[record.message]
        entry.fields = codeFields(record)
        entry.fields += field(fieldPrefix + "_LOGGER", record.label)
        for (key, value) in record.metadata {
            if key == LogKey.messageID, let id = JournalMessageID(value.plainText) {
                entry.messageID = id
            } else {
                entry.fields += field(fieldName(key), value.plainText)
            }
        }
        return entry
    }

    private func codeFields(_ record: LogRecord) -> [JournalEntry.Field] {
        field("CODE_FILE", record.file) + field("CODE_LINE", String(record.line))
            + field("CODE_FUNC", record.function)
    }

    private func field(_ name: String, _ value: String) -> [JournalEntry.Field] {
        JournalEntry.Field(name: name, value: value).map { [$0] } ?? []
    }

    /// The journal field of a metadata key: `clientUID` and `client-uid` become
    /// `PREFIX_CLIENT_UID`.
    ///
    /// Characters other than ASCII letters and digits become underscores, and the name is cut at 64
    /// characters. The journal silently drops fields with other names.
    func fieldName(_ key: String) -> String {
        var name: [UInt8] = Array((fieldPrefix + "_").utf8)
        var wasLower = false
        for byte in key.utf8 {
            let isUpper = (0x41...0x5A).contains(byte)
            let isLower = (0x61...0x7A).contains(byte)
            let isDigit = (0x30...0x39).contains(byte)
            if isUpper, wasLower { name.append(0x5F) }
            name.append(isLower ? byte - 0x20 : isUpper || isDigit ? byte : 0x5F)
            wasLower = isLower || isDigit
        }
        return String(decoding: name.prefix(64), as: UTF8.self)
    }
}
