/// A line of the embedded store in the log of the queue, or an item of its state in a snapshot.
///
/// Queue and log store and pass on the record without decoding it. A record takes a sequence number
/// and is no event: readers of events find a gap there.
public struct StoreRecord: Sendable, Hashable {
    /// The type of the record, as the store names it: ASCII letters.
    public var word: String
    /// One JSON object with sorted names, without white space.
    public var payload: [UInt8]

    /// Creates a record.
    public init(word: String, payload: [UInt8]) {
        self.word = word
        self.payload = payload
    }
}

/// The state of the embedded store at one time, for a snapshot that another thread writes.
public protocol StoreImage: Sendable {
    /// Passes the items of the state to `body`, each after those that it refers to.
    func items(_ body: (StoreRecord) -> Void)

    /// Checks that an item which was read back can be decoded.
    ///
    /// - Throws: It cannot.
    func check(_ item: StoreRecord) throws
}

/// The image of a state directory without an embedded store.
public struct NoStoreImage: StoreImage {
    /// Creates the image.
    public init() {}

    /// Has no items.
    public func items(_ body: (StoreRecord) -> Void) {}

    /// Refuses every item, because none was written.
    public func check(_ item: StoreRecord) throws { throw UnexpectedStoreRecord(word: item.word) }
}

/// A record of an embedded store where none is expected.
public struct UnexpectedStoreRecord: Error, Sendable, Hashable, CustomStringConvertible {
    /// The type of the record.
    public var word: String

    /// Creates an error.
    public init(word: String) {
        self.word = word
    }

    /// A sentence for users.
    public var description: String { "'\(word)' is a record of a store, and there is none" }
}

/// A receiver of the embedded store's records while a log is opened.
public protocol StoreReplay: AnyObject {
    /// Receives an item of the checkpoint. An error refuses the start.
    func load(_ item: StoreRecord) throws

    /// Receives a record after the checkpoint. An error refuses the start.
    func replay(_ record: StoreRecord) throws
}
