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

    /// A part of the table: scenarios about one thing, and the page that describes it.
    struct Part {
        let title: String
        let page: String
        let scenarios: [Scenario]
    }

    /// The titles of the pages.
    static let pages = [
        "Protocol": "The protocol", "Methods": "Methods", "LifeCycle": "The life of a purchase",
        "ValidatingPurchases": "Validating purchases",
    ]

    /// The table by parts. Every scenario is in one of them.
    static let parts = [
        Part(
            title: "Sending payments to the store", page: "Protocol",
            scenarios: Scenario.processing),
        Part(title: "Accepting payments", page: "Methods", scenarios: Scenario.adding),
        Part(title: "Idempotency keys", page: "Methods", scenarios: Scenario.keys),
        Part(title: "Accounts and sessions", page: "Methods", scenarios: Scenario.accounts),
        Part(title: "Logins", page: "Methods", scenarios: Scenario.login + Scenario.loginTime),
        Part(
            title: "Questions before a charge", page: "Methods",
            scenarios: Scenario.gates + Scenario.gatesTime),
        Part(
            title: "Payment agents", page: "Methods",
            scenarios: Scenario.agents + Scenario.agentsTime),
        Part(title: "Finishing", page: "Protocol", scenarios: Scenario.finishing),
        Part(
            title: "Restores", page: "Methods",
            scenarios: Scenario.restoring + Scenario.restoringTime),
        Part(
            title: "Purchases on other devices, and renewals", page: "LifeCycle",
            scenarios: Scenario.reconciliation + Scenario.reconciliationTime),
        Part(title: "Refunds and entitlements", page: "LifeCycle", scenarios: Scenario.revocations),
        Part(
            title: "Subscriptions to events", page: "Protocol",
            scenarios: Scenario.subscribing + Scenario.subscribingTime + Scenario.filters
                + Scenario.named + Scenario.gaps),
        Part(title: "Waiting for a transaction", page: "Methods", scenarios: Scenario.waiting),
        Part(title: "Approvals", page: "LifeCycle", scenarios: Scenario.deferred),
        Part(
            title: "Money", page: "LifeCycle",
            scenarios: Scenario.money + Scenario.introductoryOffers),
        Part(
            title: "Signed histories", page: "ValidatingPurchases",
            scenarios: Scenario.history + Scenario.historyCalls),
        Part(title: "Sandbox controls", page: "Methods", scenarios: Scenario.controls),
        Part(
            title: "Connections, requests and lists", page: "Protocol",
            scenarios: Scenario.atTheDoor + Scenario.lists + Scenario.lines),
    ]

    /// The table for readers.
    static var table: String {
        let parts = parts.map { part in
            let rows = part.scenarios.map { scenario in
                let marks = scenario.depths.map { $0 ? "yes" : "" }.joined(separator: " | ")
                return "| \(scenario.sentence) | \(marks) |"
            }
            return """
                ### \(part.title)

                See [\(pages[part.page] ?? part.page)](\(part.page).md).

                | Guarantee | Engine | Server | Socket and disk | Program |
                |---|---|---|---|---|
                \(rows.joined(separator: "\n"))
                """
        }
        return """
            # Guarantees

            The guarantees of the daemon, and how each one is tested.

            ## Overview

            Each row is a scenario of `ConformanceTests`. The same scenario runs at four levels: with the
            engine alone, with the whole server inside the test, with the server on a real socket and a
            real disk, and with the program `payqueued` as a separate process. Scenarios in which
            minutes pass or the log is trimmed run with the engine only, on a manual clock.
            `HolderTests` and `KillTests` test that connections survive a restart. A test generates
            this file: run it with `RECORD=1`.

            \(parts.joined(separator: "\n\n"))

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
