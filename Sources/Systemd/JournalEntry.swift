/// How grave a journal entry is, as syslog counts.
public enum JournalPriority: Int, Sendable, Hashable, CaseIterable {
    /// The machine is unusable.
    case emergency = 0
    /// A person must act at once.
    case alert = 1
    /// The service cannot continue.
    case critical = 2
    /// Something failed.
    case error = 3
    /// Something is odd, and was coped with.
    case warning = 4
    /// Normal, and worth knowing.
    case notice = 5
    /// Normal.
    case info = 6
    /// Only of use to find a fault.
    case debug = 7
}

/// Names a kind of journal entry for ever: 32 hexadecimal digits in lower case.
///
/// The message catalogue, alerts and `journalctl MESSAGE_ID=…` find entries by it, whatever happens
/// to their wording.
public struct JournalMessageID: Sendable, Hashable {
    /// The digits.
    public let digits: String

    /// Accepts 32 lower-case hexadecimal digits, refuses everything else with nil.
    public init?(_ digits: String) {
        let isDigit = { (byte: UInt8) in
            (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
        }
        guard digits.utf8.count == 32, digits.utf8.allSatisfy(isDigit) else { return nil }
        self.digits = digits
    }
}

/// One entry for the journal.
public struct JournalEntry: Sendable, Hashable {
    /// A field of one's own.
    public struct Field: Sendable, Hashable {
        /// Upper-case ASCII letters, digits and underscores; begins with a letter; 64 at most.
        public let name: String
        /// Any text, line feeds included.
        public let value: String

        /// Makes a field; nil if the journal would drop a field of this name.
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

    /// The sentence.
    public var message: String
    /// How grave it is.
    public var priority: JournalPriority
    /// The kind of entry, if it has a stable name.
    public var messageID: JournalMessageID?
    /// Everything else, in order. A name may come twice; the journal keeps both.
    public var fields: [Field]

    /// Makes an entry.
    public init(
        message: String, priority: JournalPriority, messageID: JournalMessageID? = nil,
        fields: [Field] = []
    ) {
        self.message = message
        self.priority = priority
        self.messageID = messageID
        self.fields = fields
    }

    /// The entry as `NAME=value` texts, in the order in which they are sent.
    var assignments: [String] {
        var texts = ["MESSAGE=" + message, "PRIORITY=\(priority.rawValue)"]
        if let messageID { texts.append("MESSAGE_ID=" + messageID.digits) }
        texts += fields.map { $0.name + "=" + $0.value }
        return texts
    }
}
