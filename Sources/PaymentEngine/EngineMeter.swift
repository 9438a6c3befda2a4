import PaymentCore

internal import Metrics
internal import Synchronization

/// Measures the turns, and shows other threads the activity of the engine's thread.
public final class EngineMeter: Sendable {
    /// The activities of the engine's thread.
    public enum Activity: UInt8, Sendable {
        /// Idle, or work outside of a turn.
        case other = 0
        /// A turn.
        case turn = 1
        /// Waiting for the disk to sync the journal.
        case sync = 2
    }

    /// The measures, by the label of their timers.
    public enum Measure: String, Sendable, CaseIterable {
        /// From the first step of a turn to the last.
        case turn = "turn_duration"
        /// One sync of the journal.
        case sync = "sync_duration"
        /// One call of the store.
        case storeCall = "store_call_duration"
    }

    private let current = Atomic<UInt8>(0)
    private let turns = Metrics.Timer(label: Measure.turn.rawValue)
    private let syncs = Metrics.Timer(label: Measure.sync.rawValue)

    init() {}

    /// The activity of the engine's thread. It may be read on any thread, and may be slightly out
    /// of date.
    public var activity: Activity {
        Activity(rawValue: current.load(ordering: .relaxed)) ?? .other
    }

    /// Notes the activity that begins now.
    func begin(_ activity: Activity) {
        current.store(activity.rawValue, ordering: .relaxed)
    }

    /// Records the duration of a turn that has ended.
    func endTurn(_ duration: Duration) {
        begin(.other)
        turns.recordNanoseconds(duration.wholeNanoseconds)
    }

    /// Records the duration of a sync that has ended. Its turn continues.
    func endSync(_ duration: Duration) {
        begin(.turn)
        syncs.recordNanoseconds(duration.wholeNanoseconds)
    }
}

/// Measures the time that the store takes to answer.
struct StoreMeter: Sendable {
    private let calls = Metrics.Timer(label: EngineMeter.Measure.storeCall.rawValue)

    /// Records the duration of a call, whether it succeeded or failed.
    func end(_ duration: Duration) {
        calls.recordNanoseconds(duration.wholeNanoseconds)
    }
}
