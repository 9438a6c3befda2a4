import Synchronization

/// A number that several threads may change.
final class Counter: Sendable {
    private let number = Mutex(0)

    var value: Int { number.withLock { $0 } }

    /// Adds one and says what it comes to.
    @discardableResult
    func increment() -> Int {
        number.withLock {
            $0 += 1
            return $0
        }
    }
}
