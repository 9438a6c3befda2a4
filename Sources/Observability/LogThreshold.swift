public import Logging
internal import Synchronization

/// The lowest level that is written. All loggers share it, and it may change while they run.
///
/// A logger whose level was set explicitly keeps that level.
public final class LogThreshold: Sendable {
    private let rank: Atomic<Int>

    /// Creates a threshold with a level.
    public init(_ level: Logger.Level) {
        rank = Atomic(Self.rank(of: level))
    }

    /// The current level. A change applies to lines that are logged after it, on any thread.
    public var level: Logger.Level {
        get { Self.levels[rank.load(ordering: .relaxed)] }
        set { rank.store(Self.rank(of: newValue), ordering: .relaxed) }
    }

    private static let levels = Logger.Level.allCases

    private static func rank(of level: Logger.Level) -> Int {
        guard let rank = levels.firstIndex(of: level) else {
            preconditionFailure("\(level) is missing from the list of all log levels")
        }
        return rank
    }
}
