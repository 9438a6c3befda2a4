public import PaymentCore
import StrictJSON

/// A reference to a transaction, from a client.
public enum TransactionReference: Sendable, Hashable {
    /// An identifier in the form of this queue.
    case id(TransactionID)
    /// Text in another form; it counts as an unknown identifier.
    case foreign(OpaqueText)

    /// The identifier; nil for text in another form.
    public var id: TransactionID? {
        switch self {
        case .id(let id): id
        case .foreign: nil
        }
    }
}

extension TransactionReference {
    /// Reads a string token. An identifier needs no string allocation.
    init(_ token: Int, _ tape: JSONTape, in bytes: Span<UInt8>) {
        if let id: TransactionID = tape.identifier(token, in: bytes) {
            self = .id(id)
        } else {
            self = .foreign(OpaqueText(tape.text(token, in: bytes)))
        }
    }
}

extension TransactionReference: CustomStringConvertible {
    /// The text from the client.
    public var description: String {
        switch self {
        case .id(let id): id.description
        case .foreign(let text): text.string
        }
    }
}

/// A position in the event log, from a client.
public enum Cursor: Sendable, Hashable {
    /// After this sequence number.
    case after(SequenceNumber)
    /// Before the oldest kept record.
    case start
    /// After the newest record.
    case now
}

/// The identifier of a subscription in this process: `s1`, `s2`, ….
public struct SubscriptionID: Sendable, Hashable {
    /// The number of the subscription, from 1.
    public let number: UInt64

    /// Creates the identifier with a number.
    public init(_ number: UInt64) {
        self.number = number
    }

    /// Parses the form of ``description``; nil for other text.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.first == UInt8(ascii: "s"), let number = UInt64(text.dropFirst()),
            "s\(number)" == text
        else { return nil }
        self.number = number
    }
}

extension SubscriptionID: CustomStringConvertible {
    /// The identifier as text.
    public var description: String { "s\(number)" }
}
