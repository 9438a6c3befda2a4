public import PaymentCore
public import StrictJSON

/// A piece of the sandbox's state, as snapshots keep it. All pieces together are the state.
public enum SandboxSnapshotItem: Sendable, Hashable {
    /// The test settings that were changed.
    case settings(StoreTestSettingsChange)
    /// An order as it stands.
    case order(SandboxOrder)

    /// The word that tells the kinds of items apart.
    public var typeWord: StaticString {
        switch self {
        case .settings: "settings"
        case .order: "order"
        }
    }

    /// Appends the object that belongs to the type word; its names are sorted.
    public func encodePayload(into writer: inout JSONWriter) {
        switch self {
        case .settings(let change): change.encode(into: &writer)
        case .order(let order): order.encode(into: &writer)
        }
    }

    /// Reads what ``encodePayload(into:)`` wrote.
    public init(typeWord: String, payload: JSONValue) throws(SandboxCodingFailure) {
        let fields = PayloadFields(typeWord: typeWord, payload: payload)
        switch typeWord {
        case "settings": self = .settings(try StoreTestSettingsChange(fields))
        case "order": self = .order(try SandboxOrder(fields))
        default: throw SandboxCodingFailure("unknown snapshot item '\(typeWord.shortened)'")
        }
    }
}

extension SandboxState {
    /// Hands out the whole state piece by piece, the settings first, then orders oldest first.
    public func snapshotItems<Failure>(
        _ body: (SandboxSnapshotItem) throws(Failure) -> Void
    ) throws(Failure) {
        try body(.settings(settingsChange))
        for order in orders { try body(.order(order)) }
    }

    /// Takes a piece that ``snapshotItems(_:)`` handed out; the order of the pieces counts.
    ///
    /// - Throws: The piece contradicts what was loaded before.
    public mutating func load(_ item: SandboxSnapshotItem) throws(SandboxInconsistency) {
        switch item {
        case .settings(let change): try replay(.settingsChanged(change))
        case .order(let order): try replay(.orderPlaced(order))
        }
    }
}
