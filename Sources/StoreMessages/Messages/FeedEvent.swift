package import PaymentCore

/// The events of an account's feed. An event names the kind of change only; the receiver fetches
/// the new state.
package enum FeedEvent: String, Sendable, Hashable, CaseIterable {
    /// The orders of the account changed.
    case orders
    /// The country of the account changed, or its permission to buy.
    case account
    /// The products or their prices changed.
    case catalogue
    /// Anything may have changed: the feed cannot continue at the client's position.
    case resync

    /// The changes that listeners of the store receive for this event.
    package func changes(of account: AccountName) -> [StoreChange] {
        switch self {
        case .orders: [.orders(account)]
        case .account: [.account(nil)]
        case .catalogue: [.catalogue]
        case .resync: [.account(nil), .catalogue, .orders(account)]
        }
    }

    /// The event of a change in the feed of an account; nil if the change does not concern the
    /// account.
    package init?(_ change: StoreChange, for account: AccountName) {
        switch change {
        case .orders(let other):
            guard other == account else { return nil }
            self = .orders
        case .account(let other):
            guard other == nil || other == account else { return nil }
            self = .account
        case .catalogue: self = .catalogue
        case .availability: return nil
        }
    }
}

/// A parser of the event stream. It implements the part of the HTML standard that the Store API
/// uses.
package struct FeedParser: Sendable {
    /// An event and its position in the feed.
    package struct Found: Sendable, Hashable {
        package var event: FeedEvent
        package var id: String?
    }

    private var line: [UInt8] = []
    private var word = ""
    private var id: String?

    package init() {}

    /// Parses the next bytes of the stream.
    ///
    /// - Returns: The events that these bytes complete, in order.
    /// - Throws: A line is longer than ``StoreAPI/feedLineLimitBytes``.
    package mutating func take(_ bytes: some Sequence<UInt8>) throws(MessageFault) -> [Found] {
        var found: [Found] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                guard line.count <= StoreAPI.feedLineLimitBytes else {
                    throw MessageFault("a line of the feed is too long")
                }
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if let event = endLine() { found.append(event) }
            line.removeAll(keepingCapacity: true)
        }
        return found
    }

    private mutating func endLine() -> Found? {
        if line.isEmpty {
            defer { word = "" }
            guard let event = FeedEvent(rawValue: word) else { return nil }
            return Found(event: event, id: id)
        }
        let text = String(decoding: line, as: UTF8.self)
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
        var value = text[text.index(after: colon)...]
        if value.first == " " { value.removeFirst() }
        switch text[..<colon] {
        case "event": word = String(value)
        case "id": id = String(value)
        default: break
        }
        return nil
    }
}
