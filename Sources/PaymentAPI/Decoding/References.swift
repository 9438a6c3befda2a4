public import PaymentCore
import StrictJSON

/// A transaction as a client names it.
public enum TransactionReference: Sendable, Hashable {
    /// An identifier that this queue could have given out.
    case id(TransactionID)
    /// Text that it never could; answered like an identifier that nobody knows.
    case foreign(OpaqueText)

    /// The identifier, nil if it is none of ours.
    public var id: TransactionID? {
        switch self {
        case .id(let id): id
        case .foreign: nil
        }
    }
}

extension TransactionReference {
    /// Reads a string without making one, if it is an identifier of ours.
    init(_ token: Int, _ tape: JSONTape, in bytes: Span<UInt8>) {
        if let id: TransactionID = tape.identifier(token, in: bytes) {
            self = .id(id)
        } else {
            self = .foreign(OpaqueText(tape.text(token, in: bytes)))
        }
    }
}

extension TransactionReference: CustomStringConvertible {
    /// The text that the client sent.
    public var description: String {
        switch self {
        case .id(let id): id.description
        case .foreign(let text): text.string
        }
    }
}

/// Where a client wants to read on in the event log.
public enum Cursor: Sendable, Hashable {
    /// Behind this sequence number.
    case after(SequenceNumber)
    /// At the oldest record that is kept.
    case start
    /// Behind the newest record.
    case now
}

/// Names a subscription of this process: `s1`, `s2`, ….
public struct SubscriptionID: Sendable, Hashable {
    /// Counts the subscriptions from 1.
    public let number: UInt64

    /// Names the subscription of that number.
    public init(_ number: UInt64) {
        self.number = number
    }

    /// Reads exactly the text that ``description`` writes.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.first == UInt8(ascii: "s"), let number = UInt64(text.dropFirst()),
            "s\(number)" == text
        else { return nil }
        self.number = number
    }
}

extension SubscriptionID: CustomStringConvertible {
    /// The text form.
    public var description: String { "s\(number)" }
}
