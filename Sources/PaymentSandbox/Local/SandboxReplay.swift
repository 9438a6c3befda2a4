public import PaymentCore
import StrictJSON

/// Builds the state of the embedded store from the records in a queue's log.
public final class SandboxReplay: StoreReplay {
    /// The state so far.
    private var state = SandboxState()

    /// Begins with an empty state.
    public init() {}

    /// Adds an item of a snapshot.
    public func load(_ item: StoreRecord) throws {
        try state.load(SandboxSnapshotItem(typeWord: item.word, payload: item.json()))
    }

    /// Applies an event.
    public func replay(_ record: StoreRecord) throws {
        try state.replay(SandboxEvent(typeWord: record.word, payload: record.json()))
    }

    /// Returns the state and keeps an empty one. A second reference would make the first changes copy the
    /// tables.
    public func takeState() -> SandboxState {
        var taken = SandboxState()
        swap(&taken, &state)
        return taken
    }
}

/// The state of the embedded store for a snapshot.
public struct SandboxImage: StoreImage {
    private let pieces: SandboxPieces

    /// Takes the pieces of the state, which share their storage with it.
    public init(state: SandboxState) {
        pieces = state.pieces
    }

    /// Passes the encoded pieces to `body`.
    public func items(_ body: (StoreRecord) -> Void) {
        pieces.items { item in
            body(StoreRecord(word: "\(item.typeWord)") { item.encodePayload(into: &$0) })
        }
    }

    /// Checks that an item can be decoded.
    public func check(_ item: StoreRecord) throws {
        _ = try SandboxSnapshotItem(typeWord: item.word, payload: item.json())
    }
}

extension StoreRecord {
    /// Encodes an event.
    public init(_ event: SandboxEvent) {
        self.init(word: "\(event.typeWord)") { event.encodePayload(into: &$0) }
    }

    fileprivate init(word: String, _ encode: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(capacity: 512)
        encode(&writer)
        self.init(word: word, payload: writer.bytes)
    }

    /// The payload as a JSON value.
    func json() throws(JSONFault) -> JSONValue {
        try JSONValue(parsing: payload, limits: .trusted)
    }
}
