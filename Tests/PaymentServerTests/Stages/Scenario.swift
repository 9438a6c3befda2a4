import Testing

/// One promise of the contract, played on a stage of any depth.
struct Scenario: Sendable, CustomTestStringConvertible {
    /// The sentence that it proves.
    let sentence: String
    /// Plays it; what does not hold is recorded as an issue.
    let play: @Sendable (any Stage) async throws -> Void

    init(
        _ sentence: String, play: @escaping @Sendable (any Stage) async throws -> Void
    ) {
        self.sentence = sentence
        self.play = play
    }

    var testDescription: String { sentence }
}

extension Scenario {
    /// What the engine alone holds already.
    static let ofTheQueue: [Scenario] = [
        processing, accounts, login, gates, agents, adding, keys, finishing, restoring,
        reconciliation, revocations, subscribing, filters, named, waiting, deferred, controls,
        history, money,
    ].flatMap(\.self)

    /// What it takes a server to hold.
    static let ofTheServer: [Scenario] = [
        atTheDoor, lists, lines, historyCalls, introductoryOffers,
    ].flatMap(\.self)

    /// What takes longer than a test may, or a log that is old: only where both are the test's own.
    static let ofTime: [Scenario] = [
        loginTime, gatesTime, agentsTime, restoringTime, reconciliationTime, subscribingTime, gaps,
    ].flatMap(\.self)

    /// All of them.
    static let all = ofTheQueue + ofTheServer + ofTime
}
