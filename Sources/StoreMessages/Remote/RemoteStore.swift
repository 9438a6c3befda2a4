public import PaymentCore

/// A store on another machine or in another process, as the daemon uses it.
public protocol RemoteStore: StoreBackend {
    /// The default country, if the store has named it before; asks nothing.
    var knownDefaultCountry: CountryCode? { get }

    /// Whether ``close()`` was called.
    var isClosed: Bool { get }

    /// Begins to listen to the account that was in session when the process ended, if one was.
    func start()

    /// Ends what is under way and closes the connections. Later calls fail.
    func close() async
}
