import NIOCore

/// The order of waiting work: users in turn, and the work of each user in turn.
///
/// A user with sixty-four connections waits as long for its second slice as one with a single connection,
/// because users take turns first. Work that is not done with its slice is offered again and goes to the
/// back, and so does its user.
struct AdmissionRing<Work> {
    /// Users with waiting work; each is in it once.
    private var users = CircularBuffer<UInt32>()
    private var waiting: [UInt32: CircularBuffer<Work>] = [:]

    /// Whether nothing waits.
    var isEmpty: Bool { users.isEmpty }

    /// Puts work at the back of its user's queue. The caller must not offer the same work twice.
    mutating func offer(_ work: Work, of user: UInt32) {
        if waiting[user]?.append(work) != nil { return }
        waiting[user] = [work]
        users.append(user)
    }

    /// Takes the next work, and puts its user at the back.
    ///
    /// - Returns: The work, and how much of its user waits, this included; nil if nothing waits.
    mutating func next() -> (work: Work, ofUser: Int)? {
        guard let user = users.popFirst(), var line = waiting.removeValue(forKey: user) else {
            return nil
        }
        let count = line.count
        let work = line.removeFirst()
        if !line.isEmpty {
            waiting[user] = line
            users.append(user)
        }
        return (work, count)
    }
}
