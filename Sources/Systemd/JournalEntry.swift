/// The priorities of journal entries, by their syslog numbers.
public enum JournalPriority: Int, Sendable, Hashable, CaseIterable {
    /// The machine is unusable.
    case emergency = 0
    /// Immediate action by a person is required.
    case alert = 1
    /// The service cannot continue.
    case critical = 2
    /// An operation failed.
    case error = 3
    /// An unexpected condition that the service handled.
    case warning = 4
    /// A normal but significant event.
    case notice = 5
    /// A normal event.
    case info = 6
    /// Information for debugging.
    case debug = 7
}

/// The permanent identifier of a kind of journal entry: 32 lower-case hexadecimal digits.
///
/// The message catalogue, alerts and `journalctl MESSAGE_ID=…` find entries by it, independently of
/// their text.
public struct JournalMessageID: Sendable, Hashable {
    /// The 32 digits.
    public let digits: String

    /// Creates an identifier; nil unless the text is 32 lower-case hexadecimal digits.
    public init?(_ digits: String) {
        let isDigit = { (byte: UInt8) in
            (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
        }
        guard digits.utf8.count == 32, digits.utf8.allSatisfy(isDigit) else { return nil }
        self.digits = digits
    }
}

/// A journal entry.
public struct JournalEntry: Sendable, Hashable {
    /// A custom field.
    public struct Field: Sendable, Hashable {
        /// The name: upper-case ASCII letters, digits and underscores, starting with a letter, at
        /// most 64 characters.
        public let name: String
        /// The value: any text, including line feeds.
        public let value: String

        /// Creates a field; nil if the journal would drop a field of this name.
        public init?(name: String, value: String) {
            guard Self.isValid(name) else { return nil }
            self.name = name
            self.value = value
        }

        private static func isValid(_ name: String) -> Bool {
            let isLetter = { (byte: UInt8) in (0x41...0x5A).contains(byte) }
            let isLegal = { (byte: UInt8) in
                isLetter(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
            }
            guard let first = name.utf8.first, isLetter(first) else { return false }
            return name.utf8.count <= 64 && name.utf8.allSatisfy(isLegal)
        }
    }

    /// The message.
    public var message: String
    /// The priority of the entry.
    public var priority: JournalPriority
    /// The identifier of the kind of entry; nil if it has none.
    public var messageID: JournalMessageID?
    /// The other fields, in order. Names may repeat; the journal keeps all values.
    public var fields: [Field]

    /// Creates an entry.
    public init(
        message: String, priority: JournalPriority, messageID: JournalMessageID? = nil,
        fields: [Field] = []
    ) {
        self.message = message
        self.priority = priority
        self.messageID = messageID
        self.fields = fields
    }

    /// The entry as `NAME=value` assignments, in the order of sending.
    var assignments: [String] {
        var texts = ["MESSAGE=" + message, "PRIORITY=\(priority.rawValue)"]
        if let messageID { texts.append("MESSAGE_ID=" + messageID.digits) }
        texts += fields.map { $0.name + "=" + $0.value }
        return texts
    }
}
