internal import Logging
internal import Systemd

/// Sends lines to the journal, each metadata value as a field of its own that can be searched for.
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

    /// The message repeats the values, because a plain listing of the journal shows nothing else.
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

    /// `clientUID` and `client-uid` both become `PREFIX_CLIENT_UID`.
    ///
    /// Anything but ASCII letters and digits becomes an underscore, and the end is cut at the 64
    /// characters that the journal allows, because it drops fields with other names silently.
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
