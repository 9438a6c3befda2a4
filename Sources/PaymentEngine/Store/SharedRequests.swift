/// Requests to the store that callers share.
///
/// A caller joins an equal request that waits to be sent, and never one that is under way: its answer may
/// be older than what the caller knows. Equal requests follow each other, and a limited number is under
/// way at a time.
struct SharedRequests<Key: Hashable, Value> {
    /// Takes the answer of a request.
    typealias Answer = @Sendable (Value) -> Void

    private let limit: Int
    private var underWay: [Key: [Answer]] = [:]
    private var waiting: [(key: Key, callers: [Answer])] = []

    /// - Parameter limit: Most requests that are under way at a time.
    init(limit: Int = .max) {
        self.limit = limit
    }

    /// Adds a caller.
    mutating func join(_ key: Key, _ answer: @escaping Answer) {
        if let place = waiting.firstIndex(where: { $0.key == key }) {
            waiting[place].callers.append(answer)
        } else {
            waiting.append((key, [answer]))
        }
    }

    /// Takes the request that is to be sent next; nil if none may be sent now.
    mutating func next() -> Key? {
        guard underWay.count < limit,
            let place = waiting.firstIndex(where: { underWay[$0.key] == nil })
        else { return nil }
        let (key, callers) = waiting.remove(at: place)
        underWay[key] = callers
        return key
    }

    /// The callers of a request that is under way, in the order of their calls.
    func callers(_ key: Key) -> [Answer] {
        underWay[key] ?? []
    }

    /// Ends a request that was sent.
    mutating func end(_ key: Key) {
        underWay[key] = nil
    }
}
