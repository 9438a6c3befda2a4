public import StrictJSON

/// The notifications of a subscription that survives restarts of the daemon.
///
/// After a broken connection, or a refusal with `retry` `later`, it reconnects with backoff. The
/// subscription then continues after the last notification that the iterator returned. If that
/// position is no longer in the log, the unfinished transactions follow after
/// ``Step/restarted(_:)``. A request for the next step confirms the one before. Store the cursor of
/// ``Step/notification(_:_:)`` then, to continue in another process.
///
/// The connection serves only the subscription. Use another connection for calls: back-pressure of
/// unread notifications also stops replies.
public struct ResumingNotifications: AsyncSequence, Sendable {
    /// The steps of a subscription.
    public enum Step: Sendable {
        /// The subscription began or resumed; the value is the result of `subscribe`.
        case opened(JSONValue)
        /// The daemon sent a notification; the cursor is behind it, nil before the first position.
        case notification(ServerNotification, EventCursor?)
        /// The cursor is no longer in the log; the value is the cause. The unfinished transactions
        /// follow.
        case restarted(RPCError)
        /// The connection broke; the iterator reconnects.
        case lost(ConnectionFailure)
    }

    /// The type of the elements.
    public typealias Element = Step

    private let path: String
    private let parameters: [JSONMember]
    private let start: EventCursor?
    private let longestPause: Duration
    private let client: String?

    /// Creates a subscription; it connects on iteration.
    ///
    /// - Parameters:
    ///   - path: The path of the daemon's socket.
    ///   - parameters: The parameters of `subscribe`; `after` and `epoch` apply to the first
    ///     subscription only.
    ///   - start: The cursor to begin at; nil for the one in the parameters.
    ///   - longestPause: The upper bound of the backoff between connections.
    ///   - client: The name of this client in `observers` and the daemon's log; nil for none.
    public init(
        path: String, parameters: [JSONMember] = [], start: EventCursor? = nil,
        longestPause: Duration = .seconds(5), client: String? = nil
    ) {
        self.path = path
        self.parameters = parameters
        self.start = start
        self.longestPause = longestPause
        self.client = client
    }

    /// Creates an iterator with its own subscription.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            path: path, parameters: parameters, cursor: start, longestPause: longestPause,
            client: client)
    }

    /// The iterator of the steps.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let path: String
        private let parameters: [JSONMember]
        private let longestPause: Duration
        private let shortestPause: Duration
        private let client: String?
        private var cursor: EventCursor?
        private var epoch = ""
        private var hasOpened = false
        private var live: (connection: PaymentConnection, inner: ServerNotifications.AsyncIterator)?
        private var pause: Duration
        private var isResting = false

        init(
            path: String, parameters: [JSONMember], cursor: EventCursor?, longestPause: Duration,
            client: String?
        ) {
            self.path = path
            self.parameters = parameters
            self.cursor = cursor
            self.longestPause = longestPause
            self.client = client
            shortestPause = Swift.min(.milliseconds(50), longestPause)
            pause = shortestPause
        }

        /// Waits for the next step.
        ///
        /// - Returns: The next step; the sequence does not end.
        /// - Throws: `ConnectionFailure` if the first connection fails, ``RPCError`` if the daemon
        ///   refuses the subscription, `CancellationError`. A refusal with `retry` `later` is
        ///   retried once a subscription was open.
        @concurrent
        public mutating func next() async throws -> Step? {
            while true {
                do {
                    guard var current = live else { return try await open() }
                    guard let notification = try await current.inner.next() else {
                        throw ConnectionFailure.lost(path)
                    }
                    live = current
                    return await step(notification, current.connection)
                } catch let failure as ConnectionFailure {
                    live = nil
                    guard hasOpened else { throw failure }
                    // Each break is reported once, also if several reconnections fail.
                    guard isResting else {
                        isResting = true
                        return .lost(failure)
                    }
                    try await rest()
                } catch let refusal as RPCError where hasOpened && refusal.retry == .later {
                    // For example, the limit of connections is reached for a while.
                    live = nil
                    try await rest(atLeast: refusal.retryAfter ?? .zero)
                }
            }
        }

        private mutating func rest(atLeast least: Duration = .zero) async throws {
            try await Task.sleep(for: Swift.max(pause, least))
            pause = Swift.min(longestPause, pause * 2)
        }

        private mutating func step(
            _ notification: ServerNotification, _ connection: PaymentConnection
        ) async -> Step {
            if let position = notification.position {
                cursor = EventCursor(epoch: epoch, sequence: position)
            }
            if notification.method == "ended" {
                // The subscriber fell behind the trimmed log, or a role was withdrawn. The next
                // subscription reports which.
                await connection.close()
                live = nil
            }
            return .notification(notification, cursor)
        }

        private mutating func open() async throws -> Step {
            let connection = try await PaymentConnection.connect(to: path)
            if let client { try await connection.introduce(as: client) }
            do {
                let answer = try await connection.call("subscribe", .object(members))
                epoch = answer["epoch"]?.stringValue ?? ""
                live = (connection, connection.notifications.makeAsyncIterator())
                hasOpened = true
                isResting = false
                pause = shortestPause
                return .opened(answer)
            } catch let error as RPCError {
                await connection.close()
                guard cursor != nil, (1301...1303).contains(error.code) else { throw error }
                cursor = nil
                hasOpened = true
                return .restarted(error)
            }
        }

        private var members: [JSONMember] {
            let place: Set = ["after", "epoch"]
            let others = parameters.filter { !place.contains($0.name) }
            guard let cursor else { return hasOpened ? others : parameters }
            return others + [
                JSONMember(name: "after", value: .integer(cursor.sequence)),
                JSONMember(name: "epoch", value: .string(cursor.epoch)),
            ]
        }
    }
}
