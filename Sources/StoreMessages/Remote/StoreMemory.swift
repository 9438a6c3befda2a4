public import PaymentCore

/// Keeps what the client of a store remembers over restarts: tokens and catalogues.
///
/// The daemon keeps it in files with mode 0600. What cannot be kept is asked for again, so nothing
/// here fails: whoever implements it logs.
public protocol StoreMemory: Sendable {
    /// The bytes kept under a name; nil if there are none.
    func read(_ item: StoreMemoryItem) -> [UInt8]?

    /// Keeps bytes under a name in place of those before. May return before they are on disk; later
    /// writes never overtake earlier ones.
    func write(_ item: StoreMemoryItem, _ bytes: [UInt8])

    /// The countries that a catalogue is kept of.
    var countries: [CountryCode] { get }

    /// Returns when everything that was written before is where it is kept.
    func flush()
}

extension StoreMemory {
    /// Nothing is under way where writing does not return before.
    public func flush() {}
}

/// The names of what is kept.
public enum StoreMemoryItem: Sendable, Hashable {
    /// The refresh tokens of all sessions. Secret.
    case sessions
    /// The store's description of itself.
    case store
    /// The last catalogue of a country.
    case catalogue(CountryCode)
}
