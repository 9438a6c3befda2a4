import PaymentCore
import Synchronization

/// The counters of the server since its start.
final class Counters: Sendable {
    /// The number of requests and their total duration.
    struct Tally: Sendable {
        var count: UInt64 = 0
        var microseconds: UInt64 = 0
    }

    /// The route and status of counted requests.
    struct Key: Sendable, Hashable {
        var route: String
        var status: Int
    }

    private let requests = Mutex<[Key: Tally]>([:])

    /// Counts a request. Routes are those of the router, so that their number is limited.
    func count(_ route: String, status: Int, took: Duration) {
        let microseconds = took.wholeMicroseconds
        requests.withLock { requests in
            var tally = requests[Key(route: route, status: status)] ?? Tally()
            tally.count += 1
            tally.microseconds += UInt64(clamping: microseconds)
            requests[Key(route: route, status: status)] = tally
        }
    }

    /// All counters, ordered by route and status.
    var all: [(key: Key, tally: Tally)] {
        requests.withLock { $0 }.map { ($0.key, $0.value) }
            .sorted { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) }
    }
}
