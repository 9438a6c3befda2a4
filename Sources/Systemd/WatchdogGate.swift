/// Decides whether a sign of life may be sent: only when every loop moved since the last tick.
///
/// A ping from a timer alone proves that the timer works. This one proves that each loop which
/// serves clients or writes the journal took a turn.
public struct WatchdogGate: Sendable {
    /// The action at a tick.
    public enum Verdict: Sendable, Hashable {
        /// Every loop moved: send the sign of life.
        case ping
        /// These loops stood still: send nothing. The manager acts if it lasts.
        case withhold(stalled: [String])
    }

    private var seen: [(name: String, beats: UInt64)]

    /// Makes a gate for the named loops, in the order in which their readings will be given.
    ///
    /// Every loop counts as having beaten zero times; the first tick wants a beat of each.
    public init(loops: [String]) {
        seen = loops.map { ($0, 0) }
    }

    /// Compares the loops' beat counts with those of the last tick, and remembers them.
    ///
    /// - Parameter beats: One count for each loop. A count that differs from the last is movement,
    ///   so that wrapping around does no harm.
    /// - Returns: Whether a sign of life may be sent.
    public mutating func tick(beats: [UInt64]) -> Verdict {
        precondition(beats.count == seen.count, "a watchdog tick needs one reading for each loop")
        var stalled: [String] = []
        for (index, count) in beats.enumerated() {
            if seen[index].beats == count { stalled.append(seen[index].name) }
            seen[index].beats = count
        }
        return stalled.isEmpty ? .ping : .withhold(stalled: stalled)
    }

    /// Makes a gate for these loops.
    public init(watching pulses: [LoopPulse]) {
        self.init(loops: pulses.map(\.name))
    }

    /// As ``tick(beats:)``, reading the pulses that the gate was made for, in the same order.
    public mutating func tick(_ pulses: [LoopPulse]) -> Verdict {
        tick(beats: pulses.map(\.beats))
    }
}
