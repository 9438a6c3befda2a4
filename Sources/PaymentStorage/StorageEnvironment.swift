public import PaymentCore

/// The inputs of storage from outside: clocks, randomness, and background threads.
public struct StorageEnvironment: Sendable {
    /// The wall clock, for the lines that the journal writes for itself.
    public var now: @Sendable () -> Timestamp
    /// A clock that never steps, in nanoseconds; only differences mean anything.
    public var monotonicNanoseconds: @Sendable () -> UInt64
    /// 64 random bits.
    public var random: @Sendable () -> UInt64
    /// Runs work on another thread, because it must not delay a commit. Each piece runs whole.
    /// Pieces may run at the same time; the journal never has two pieces for the same file.
    public var background: @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
    /// Syncs a slice of a file that a background thread writes.
    public var backgroundSync: BackgroundSync

    /// Creates an environment.
    public init(
        now: @escaping @Sendable () -> Timestamp,
        monotonicNanoseconds: @escaping @Sendable () -> UInt64,
        random: @escaping @Sendable () -> UInt64,
        background: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void,
        backgroundSync: @escaping BackgroundSync = syncAtOnce
    ) {
        self.now = now
        self.monotonicNanoseconds = monotonicNanoseconds
        self.random = random
        self.background = background
        self.backgroundSync = backgroundSync
    }

    /// Syncs a file and does not wait afterwards.
    public static let syncAtOnce: BackgroundSync = { file throws(DiskFailure) in try file.sync() }
}
