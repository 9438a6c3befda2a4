import Foundation

/// The seeds that a simulation runs: those of its suite, unless the environment says otherwise.
public enum SimulationSeeds {
    /// The seeds, case by case; cases run side by side.
    ///
    /// - Parameters:
    ///   - count: How many there are by default.
    ///   - share: How many make one case.
    /// - Returns: The seeds of each case.
    public static func shares(of count: UInt64, each share: UInt64) -> [Range<UInt64>] {
        let environment = ProcessInfo.processInfo.environment
        if let one = environment["PAYQUEUED_SIMULATION_SEED"].flatMap({ UInt64($0) }) {
            return [one..<one &+ 1]
        }
        let count = environment["PAYQUEUED_SIMULATION_SEEDS"].flatMap { UInt64($0) } ?? count
        let first = environment["PAYQUEUED_SIMULATION_FIRST"].flatMap { UInt64($0) } ?? 1
        let end = first + max(count, 1)
        return stride(from: first, to: end, by: Int(share)).map { $0..<min($0 + share, end) }
    }
}
