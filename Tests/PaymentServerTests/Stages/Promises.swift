import Foundation

/// The table of the guarantees, made from the scenarios that prove them.
enum Promises {
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
            real disk, and with the program `payqueued` as a separate process, once with its journal in
            files and once in etcd. Scenarios in which minutes pass or the log is trimmed run with the
            engine only, on a manual clock.
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
