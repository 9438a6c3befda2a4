import Testing

/// One promise of the contract, played on a stage of any depth.
struct Scenario: Sendable, CustomTestStringConvertible {
    /// The sentence that it proves.
    let sentence: String
    /// Plays it; what does not hold is recorded as an issue.
    let play: @Sendable (any Stage) async throws -> Void

    init(_ sentence: String, _ play: @escaping @Sendable (any Stage) async throws -> Void) {
        self.sentence = sentence
        self.play = play
    }

    var testDescription: String { sentence }

    /// What the engine alone holds already.
    static let ofTheQueue = waiting + watching + finishing + keys + accounts + asking

    /// What it takes a server to hold.
    static let ofTheServer = lines + lists + controls
}
