import Testing

/// One promise of the contract, played on a stage of any depth.
struct Scenario: Sendable, CustomTestStringConvertible {
    /// The sentence that it proves.
    let sentence: String
    /// Where the promise stands.
    let sources: [Source]
    /// Plays it; what does not hold is recorded as an issue.
    let play: @Sendable (any Stage) async throws -> Void

    init(
        _ sentence: String, of sources: Source...,
        play: @escaping @Sendable (any Stage) async throws -> Void
    ) {
        self.sentence = sentence
        self.sources = sources
        self.play = play
    }

    var testDescription: String { sentence }
}

/// A place of the contract: `rule 4.2` is the second sentence of the fourth rule of section 4,
/// `pain 7` and `reading 9` are entries of the domain's lists of pains and of ambiguities,
/// `section 2` is one of the contract itself, `domain 3.5` one of the domain, and `controls` are
/// the domain's controls of a test.
struct Source: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    let description: String

    init(stringLiteral text: String) {
        description = text
        let words = text.split(separator: " ")
        precondition(
            words.first.map { Self.kinds.contains(String($0)) } == true, "what is \(text)?")
    }

    private static let kinds: Set<String> = [
        "rule", "pain", "reading", "section", "domain", "controls",
    ]

    /// Whether it is of a list that has to be proved as a whole.
    var isCounted: Bool {
        ["rule", "pain", "reading"].contains { description.hasPrefix($0 + " ") }
    }

    /// What a reader of the table sees.
    var title: String {
        let number = description.split(separator: " ").last.map(String.init) ?? ""
        if description.hasPrefix("section") { return "contract, section \(number)" }
        if description == "controls" { return "domain, section 10.2" }
        if description.hasPrefix("domain") { return "domain, section \(number)" }
        return description
    }
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
