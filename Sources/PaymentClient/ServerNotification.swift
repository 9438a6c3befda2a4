internal import NIOCore
public import StrictJSON

/// Something that the daemon sent without being asked: `event`, `caughtUp`, `heartbeat`, `gap`,
/// `ended` or `closing`. Tolerate methods that you do not know.
public struct ServerNotification: Sendable, Hashable {
    /// Which notification it is.
    public let method: String
    /// Its parameters; null if it has none.
    public let params: JSONValue
    /// The line as it came over the connection, without its line feed.
    public let line: String

    /// Makes a notification.
    public init(method: String, params: JSONValue, line: String) {
        self.method = method
        self.params = params
        self.line = line
    }
}

/// The notifications of one connection, in the order in which they came.
///
/// Nothing is dropped: when they are not taken, the connection stops reading, and with it the
/// answers to calls. So take them in a task of their own, or between the calls of a program that
/// subscribed. Only one iterator may be made. The sequence ends when the connection does: quietly
/// after ``PaymentConnection/close()``, else with a ``ConnectionFailure``.
public struct ServerNotifications: AsyncSequence, Sendable {
    /// The type of its elements.
    public typealias Element = ServerNotification

    typealias Producer = NIOThrowingAsyncSequenceProducer<
        ServerNotification, any Error,
        NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, ReadingDemand
    >

    let producer: Producer

    /// Goes through the notifications.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var inner: Producer.AsyncIterator

        /// Waits for the next notification; nil at the end.
        @concurrent
        public mutating func next() async throws -> ServerNotification? {
            try await inner.next()
        }
    }

    /// Makes the one iterator that there may be.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(inner: producer.makeAsyncIterator())
    }
}

/// Tells the connection to read on when the taken notifications have made room.
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
