public import StrictJSON

/// The notifications of a subscription that survives restarts of the daemon.
///
/// When the connection breaks it is made again, with growing pauses, also when the daemon says to
/// come later, and the subscription goes on behind the last notification that was given out. When
/// that place is no longer in the log, everything that is unfinished comes instead, and
/// ``Step/restarted(_:)`` says so. Asking for the next step says that the one before is handled;
/// store ``Step/notification(_:_:)``'s cursor then to go on there in another process.
///
/// The connection serves the subscription alone. Make calls on another one: this one stops reading,
/// answers included, while its notifications are not taken.
public struct ResumingNotifications: AsyncSequence, Sendable {
    /// The changes of a subscription.
    public enum Step: Sendable {
        /// It began, or began again; the daemon's answer to `subscribe`.
        case opened(JSONValue)
        /// The daemon sent something; the place behind it, once there is one.
        case notification(ServerNotification, EventCursor?)
        /// The place to go on is gone, for this reason. What is unfinished follows.
        case restarted(RPCError)
        /// The connection broke; it will be made again.
        case lost(ConnectionFailure)
    }

    /// The type of its elements.
    public typealias Element = Step

    private let path: String
    private let parameters: [JSONMember]
    private let start: EventCursor?
    private let longestPause: Duration
    private let client: String?

    /// Describes a subscription; nothing is sent before it is iterated.
    ///
    /// - Parameters:
    ///   - path: The daemon's socket.
    ///   - parameters: Those of `subscribe`; `after` and `epoch` count for the first time only.
    ///   - start: Where to begin; as the parameters say if nil.
    ///   - longestPause: How long to wait at most before connecting again.
    ///   - client: What the daemon shall call this program in `observers` and in its log; nothing
    ///     if nil.
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

    /// Makes an iterator, with a subscription of its own.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            path: path, parameters: parameters, cursor: start, longestPause: longestPause,
            client: client)
    }

    /// Goes through the steps.
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
        /// - Returns: The step; there is always one more.
        /// - Throws: `ConnectionFailure` if the first connection fails, ``RPCError`` if the daemon
        ///   refuses the subscription, unless it says to come later and it was open before,
        ///   `CancellationError`.
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
                    // Said once per break, however often connecting again fails.
                    guard isResting else {
                        isResting = true
                        return .lost(failure)
                    }
                    try await rest()
                } catch let refusal as RPCError where hasOpened && refusal.retry == .later {
                    // For example too many connections: there were fewer before and will be again.
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
                // Overtaken by trimming, or a role was withdrawn: the next subscription tells.
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
