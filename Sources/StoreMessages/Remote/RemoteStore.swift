public import PaymentCore

/// A store on another machine or in another process, as the daemon uses it.
public protocol RemoteStore: StoreBackend {
    /// The default country that the store last reported; nil if there is none. It sends no request.
    var knownDefaultCountry: CountryCode? { get }

    /// True after ``close()`` was called.
    var isClosed: Bool { get }

    /// Follows the feed of the account in session, if there is one: that of the last process, or of
    /// ``takeOver(_:inSession:)``.
    func start()

    /// Takes over the sessions of another node that has owned the queue before. Called before ``start()``.
    ///
    /// - Parameters:
    ///   - sessions: What that node has written to the item ``StoreMemoryItem/sessions``; nil if it has left nothing.
    ///   - account: The account in session.
    func takeOver(_ sessions: [UInt8]?, inSession account: AccountName?)

    /// Cancels the work in progress and closes the connections. Later calls fail.
    func close() async
}
