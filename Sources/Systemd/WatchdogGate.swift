/// The condition for watchdog pings: every loop has moved since the last check.
///
/// A ping from a timer would prove only that the timer works. This condition covers each loop that
/// serves clients or writes the journal.
public struct WatchdogGate: Sendable {
    /// The result of a check.
    public enum Verdict: Sendable, Hashable {
        /// All loops moved: send a ping.
        case ping
        /// Some loops did not move: send no ping. The manager acts if this continues.
        case withhold(stalled: [String])
    }

    private var seen: [(name: String, beats: UInt64)]

    /// Creates a gate for named loops, in the order of their later counts.
    ///
    /// All counts start at zero, so the first check requires a beat of each loop.
    public init(loops: [String]) {
        seen = loops.map { ($0, 0) }
    }

    /// Compares the counts with those of the last check and stores them.
    ///
    /// - Parameter beats: One count per loop. Any difference from the last count is movement, so
    ///   wrapping is harmless.
    /// - Returns: The verdict of the check.
    public mutating func tick(beats: [UInt64]) -> Verdict {
        precondition(beats.count == seen.count, "a watchdog tick needs one reading for each loop")
        var stalled: [String] = []
        for (index, count) in beats.enumerated() {
            if seen[index].beats == count { stalled.append(seen[index].name) }
            seen[index].beats = count
        }
        return stalled.isEmpty ? .ping : .withhold(stalled: stalled)
    }

    /// Creates a gate for loops.
    public init(watching pulses: [LoopPulse]) {
        self.init(loops: pulses.map(\.name))
    }

    /// Checks the pulses that the gate was created for, in the same order.
    public mutating func tick(_ pulses: [LoopPulse]) -> Verdict {
        tick(beats: pulses.map(\.beats))
    }
}
