import DequeModule

/// The order of waiting work: users in turn, and the work of each user in turn.
///
/// A user with sixty-four connections waits as long for its second slice as one with a single connection,
/// because users take turns first. Work that is not done with its slice is offered again and goes to the
/// back, and so does its user. A user whose turn was the last one gives way to any other that waits.
public struct UserRing<Work> {
    /// Users with waiting work; each is in it once.
    private var users = Deque<UInt32>()
    private var waiting: [UInt32: Deque<Work>] = [:]
    /// The user whose turn was the last one.
    private var last: UInt32?

    /// Creates a ring without work.
    public init() {}

    /// Whether nothing waits.
    public var isEmpty: Bool { users.isEmpty }

    /// How many users have work that waits.
    public var userCount: Int { users.count }

    /// Whether work of another user waits.
    public func hasWork(besidesThatOf user: UInt32) -> Bool {
        waiting.count > (waiting[user] == nil ? 0 : 1)
    }

    /// Puts work at the back of its user's queue. The caller must not offer the same work twice.
    public mutating func offer(_ work: Work, of user: UInt32) {
        if waiting[user]?.append(work) != nil { return }
        waiting[user] = [work]
        users.append(user)
    }

    /// Takes the next work, and puts its user at the back.
    ///
    /// - Returns: The work, and the number of waiting items of its user, this one included; nil if
    ///   nothing waits.
    public mutating func next() -> (work: Work, ofUser: Int)? {
        if users.count > 1, users.first == last { users.append(users.removeFirst()) }
        guard let user = users.popFirst(), var line = waiting.removeValue(forKey: user) else {
            return nil
        }
        last = user
        let count = line.count
        let work = line.removeFirst()
        if !line.isEmpty {
            waiting[user] = line
            users.append(user)
        }
        return (work, count)
    }

    /// Takes out work of a user that is no longer wanted.
    ///
    /// - Returns: The work taken out, in its order.
    public mutating func remove(of user: UInt32, where isUnwanted: (Work) -> Bool) -> [Work] {
        guard var line = waiting.removeValue(forKey: user) else { return [] }
        let removed = Array(line.filter(isUnwanted))
        line.removeAll(where: isUnwanted)
        if line.isEmpty {
            users.removeAll { $0 == user }
        } else {
            waiting[user] = line
        }
        return removed
    }
}
