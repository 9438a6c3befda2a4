package import PaymentCore

/// The events of an account's feed: that something changed, not what. The receiver asks for it.
package enum FeedEvent: String, Sendable, Hashable, CaseIterable {
    /// The account's orders.
    case orders
    /// Where the account is and whether it may buy.
    case account
    /// The products, or their prices.
    case catalogue
    /// Anything: the feed cannot continue where the client was.
    case resync

    /// The events for listeners of a back end.
    package func changes(of account: AccountName) -> [StoreChange] {
        switch self {
        case .orders: [.orders(account)]
        case .account: [.account(nil)]
        case .catalogue: [.catalogue]
        case .resync: [.account(nil), .catalogue, .orders(account)]
        }
    }

    /// The event of a change for the feed of an account; nil if the change does not concern it.
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

/// Takes lines of an event stream and finds the events in them, as the HTML standard says, as far as
/// the Store API uses it.
package struct FeedParser: Sendable {
    /// An event with its place in the feed.
    package struct Found: Sendable, Hashable {
        package var event: FeedEvent
        package var id: String?
    }

    private var line: [UInt8] = []
    private var word = ""
    private var id: String?

    package init() {}

    /// Takes bytes.
    ///
    /// - Returns: The events that they complete.
    /// - Throws: A line is too long.
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
