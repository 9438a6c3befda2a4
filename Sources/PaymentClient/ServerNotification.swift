internal import NIOCore
public import StrictJSON

/// A notification of the daemon: `event`, `caughtUp`, `heartbeat`, `gap`, `ended` or `closing`.
/// Clients must accept unknown methods.
public struct ServerNotification: Sendable, Hashable {
    /// The method of the notification.
    public let method: String
    /// The parameters; null if there are none.
    public let params: JSONValue
    /// The line as received, without its line feed.
    public let line: String

    /// Creates a notification.
    public init(method: String, params: JSONValue, line: String) {
        self.method = method
        self.params = params
        self.line = line
    }
}

/// The notifications of one connection, in order of arrival.
///
/// Nothing is dropped. While notifications are not read, the connection stops reading, including
/// replies to calls. Read them in a task of their own, or between the calls of a subscriber. Only
/// one iterator is allowed. The sequence ends with the connection: normally after
/// ``PaymentConnection/close()``, else with a ``ConnectionFailure``.
public struct ServerNotifications: AsyncSequence, Sendable {
    /// The type of the elements.
    public typealias Element = ServerNotification

    typealias Producer = NIOThrowingAsyncSequenceProducer<
        ServerNotification, any Error,
        NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, ReadingDemand
    >

    let producer: Producer

    /// The iterator of the notifications.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var inner: Producer.AsyncIterator

        /// Waits for the next notification; nil at the end.
        ///
        /// - Throws: ``ConnectionFailure`` if the connection was lost.
        @concurrent
        public mutating func next() async throws -> ServerNotification? {
            try await inner.next()
        }
    }

    /// Creates the only iterator that is allowed.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(inner: producer.makeAsyncIterator())
    }
}

/// The delegate that resumes reading once enough notifications were consumed.
final class ReadingDemand: NIOAsyncSequenceProducerDelegate, Sendable {
    private let router: NIOLoopBound<ReplyRouter>

    init(_ router: NIOLoopBound<ReplyRouter>) {
        self.router = router
    }

    func produceMore() {
        router.eventLoop.execute { [router] in router.value.resumeReading() }
    }

    func didTerminate() {
        router.eventLoop.execute { [router] in router.value.resumeReading() }
    }
}
