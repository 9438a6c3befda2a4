/// Random numbers that a seed determines: the same seed, the same run.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    /// What the run began with, to be printed when a test fails.
    public let seed: UInt64
    private var state: UInt64

    /// Begins a run.
    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// The next 64 bits (SplitMix64).
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
