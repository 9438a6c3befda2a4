import DequeModule

/// Requests to the store that callers share, sent for the users in turn.
///
/// A caller joins an equal request that waits to be sent. It never joins one in progress, because
/// that answer may be older than the caller's state. Equal requests are sent one after another.
///
/// With a limit, one request of each user is in progress at a time. Many calls of one user therefore
/// delay those of another by one request.
struct SharedRequests<Key: Hashable, Value> {
    /// Takes the answer of a request.
    typealias Answer = @Sendable (Value) -> Void

    private let limit: Int?
    /// The requests that were sent: the user whose turn each was, and the callers.
    private var underWay: [Key: (user: UInt32, callers: [Answer])] = [:]
    /// The requests that wait, each with its callers and their users.
    private var waiting: [(key: Key, users: Set<UInt32>, callers: [Answer])] = []
    /// The users with a request that waits, in the order of their turns.
    private var users = Deque<UInt32>()

    /// - Parameter limit: The maximum number of requests in progress; nil for any number, also of one
    ///   user.
    init(limit: Int? = nil) {
        self.limit = limit
    }

    /// Adds a caller.
    ///
    /// - Parameters:
    ///   - key: The request.
    ///   - user: The user of the caller; of no effect without a limit.
    ///   - answer: Takes the answer.
    mutating func join(_ key: Key, of user: UInt32 = 0, _ answer: @escaping Answer) {
        if let place = waiting.firstIndex(where: { $0.key == key }) {
            waiting[place].users.insert(user)
            waiting[place].callers.append(answer)
        } else {
            waiting.append((key, [user], [answer]))
        }
        if !users.contains(user) { users.append(user) }
    }

    /// Takes the request that is to be sent next; nil if none may be sent now.
    mutating func next() -> Key? {
        if let limit, underWay.count >= limit { return nil }
        for (turn, user) in users.enumerated() where mayServe(user) {
            guard
                let place = waiting.firstIndex(where: {
                    $0.users.contains(user) && underWay[$0.key] == nil
                })
            else { continue }
            let request = waiting.remove(at: place)
            underWay[request.key] = (user, request.callers)
            users.append(users.remove(at: turn))
            for user in request.users where !waiting.contains(where: { $0.users.contains(user) }) {
                users.removeAll { $0 == user }
            }
            return request.key
        }
        return nil
    }

    private func mayServe(_ user: UInt32) -> Bool {
        limit == nil || !underWay.values.contains { $0.user == user }
    }

    /// The callers of a request that is under way, in the order of their calls.
    func callers(_ key: Key) -> [Answer] {
        underWay[key]?.callers ?? []
    }

    /// Ends a request that was sent.
    mutating func end(_ key: Key) {
        underWay[key] = nil
    }
}
