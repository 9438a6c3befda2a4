public import PaymentCore
import Synchronization

/// Identifiers that a seed determines, for any thread.
public final class SeededIDs: Sendable {
    private let generator: Mutex<SeededGenerator>

    /// Begins with a seed.
    public init(seed: UInt64) {
        generator = Mutex(SeededGenerator(seed: seed))
    }

    /// Returns the next identifier.
    @Sendable
    public func next() -> UniqueID {
        generator.withLock { UniqueID(randomHigh: $0.next(), randomLow: $0.next()) }
    }
}
