import Foundation

/// What has to be proved, and the table of what is.
enum Promises {
    /// The number of sentences of each rule of the contract.
    static let sentences = [
        1: 5, 2: 7, 3: 3, 4: 8, 5: 10, 6: 6, 7: 16, 8: 7, 9: 6, 10: 6, 11: 2,
    ]

    /// What users of payment queues suffer from.
    static let pains = 1...18

    /// The ambiguities whose reading is something that a daemon does.
    static let readings: Set<Int> = [
        2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20, 23, 24, 25,
    ]

    /// The other ambiguities, each with the reason why no scenario shows it.
    static let readingsOfNames = [
        1: "the name of an accessor: a daemon has one queue and no accessor",
        9: "a member of the signed history, which the store writes",
        15: "a name: observers subscribe, the delegate is a policy",
        21: "a header of the Merchant API, which the store serves",
        22: "how the signed history writes what is absent",
    ]

    /// What is proved elsewhere, because no scenario can bring it about.
    static let elsewhere: [Source: String] = [
        "rule 11.2": "`HolderTests` and `KillTests` keep connections over a restart"
    ]

    /// Every place that has to be proved, in the order of the contract.
    static var places: [Source] {
        let rules = sentences.sorted { $0.key < $1.key }.flatMap { rule, count in
            (1...count).map { Source(stringLiteral: "rule \(rule).\($0)") }
        }
        return rules + pains.map { Source(stringLiteral: "pain \($0)") }
            + readings.sorted().map { Source(stringLiteral: "reading \($0)") }
    }

    /// The table for readers.
    static var table: String {
        let rows = Scenario.all.map { scenario in
            let sources = scenario.sources.map(\.title).joined(separator: ", ")
            let marks = scenario.depths.map { $0 ? "yes" : "" }.joined(separator: " | ")
            return "| \(scenario.sentence) | \(sources) | \(marks) |"
        }
        let others = elsewhere.map { "- \($0.key.title): \($0.value)." }.sorted()
        let names = readingsOfNames.sorted { $0.key < $1.key }
            .map { "- reading \($0.key): \($0.value)." }
        return """
            # Promises

            What the daemon promises, where the promise stands, and how deep it is proved.

            ## Overview

            Each line is a scenario of `ConformanceTests`. The same scenario is played with the engine
            alone, with the whole server inside of the test, with the server on a real socket and a
            real disk, and with the program `payqueued` as a process of its own. What is only proved
            with the engine needs minutes to pass or an old log to be trimmed, which are a test's own
            there. `rule 4.2` is the second sentence of the fourth rule of the contract; pains and
            readings are the entries of the domain's lists of what users suffer from and of what its
            sources leave open. This file is written by a test: run it with `RECORD=1`.

            ## Scenarios

            | Promise | Where it stands | Engine | Server | Socket and disk | Program |
            |---|---|---|---|---|---|
            \(rows.joined(separator: "\n"))

            ## Proved by other tests

            \(others.joined(separator: "\n"))

            ## Readings that are only names

            \(names.joined(separator: "\n"))

            """
    }

    /// Where the table is kept.
    static let file = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Sources/payqueued/Documentation.docc/Promises.md")
}

extension Scenario {
    /// Whether it is played with the engine, the server, the socket and the program.
    var depths: [Bool] {
        let isOfServer = Self.ofTheServer.contains { $0.sentence == sentence }
        let isOfTime = Self.ofTime.contains { $0.sentence == sentence }
        return [!isOfServer, !isOfTime, !isOfTime, !isOfTime]
    }
}
