public import PaymentCore

/// A store on another machine or in another process, as the daemon uses it.
public protocol RemoteStore: StoreBackend {
    /// The default country that the store last reported; nil if there is none. It sends no request.
    var knownDefaultCountry: CountryCode? { get }

    /// True after ``close()`` was called.
    var isClosed: Bool { get }

    /// Follows the feed of the account that was in session when the last process ended, if there
    /// was one.
    func start()

    /// Cancels the work in progress and closes the connections. Later calls fail.
    func close() async
}
