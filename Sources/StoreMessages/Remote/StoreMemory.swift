public import PaymentCore

/// The storage of a store client across restarts: tokens and catalogues.
///
/// The daemon implements it with files of mode 0600. Lost items are fetched again, so no call
/// fails; an implementation logs its errors.
public protocol StoreMemory: Sendable {
    /// The bytes of an item; nil if there are none.
    func read(_ item: StoreMemoryItem) -> [UInt8]?

    /// Replaces the bytes of an item. It may return before they are on disk. Later writes never
    /// overtake earlier ones.
    func write(_ item: StoreMemoryItem, _ bytes: [UInt8])

    /// The countries with a saved catalogue.
    var countries: [CountryCode] { get }

    /// Returns when all earlier writes are on disk.
    func flush()
}

extension StoreMemory {
    /// Does nothing, for implementations that write synchronously.
    public func flush() {}
}

/// The saved items.
public enum StoreMemoryItem: Sendable, Hashable {
    /// The refresh tokens of all sessions. Secret.
    case sessions
    /// The store's facts about itself.
    case store
    /// The last catalogue of a country.
    case catalogue(CountryCode)
}
