import Foundation
import PaymentTesting
import Testing

/// The dashboard and the alert rules, against what the daemon measures.
@Suite("Dashboard and alert rules", .ownThreads)
struct ObservabilityTests {
    private static let folder = Built.root.appending(path: "systemd/observability").path

    @Test(
        "Every name in them is one that the daemon tells",
        arguments: ["payqueued.rules.yml", "rules-test.yml", "dashboard.json"])
    func names(file: String) throws {
        try Daemon.run { daemon in
            let client = try daemon.connect()
            // What is measured only when it happens has happened.
            try client.call("subscribe")
            try client.call("add", #"{"product":"coins.100"}"#)
            let told = Self.names(in: try client.call("metrics")["text"]?.string ?? "")
            let wanted = Self.names(in: text(of: "\(Self.folder)/\(file)"))
            #expect(wanted.count > 3)
            #expect(wanted.subtracting(told) == [])
        }
    }

    @Test("promtool finds nothing wrong, and the rules fire when they should and not before")
    func rules() throws {
        guard Built.has("promtool") else { return Skip.because("promtool is not installed") }
        for command in [
            ["check", "rules", "payqueued.rules.yml"], ["test", "rules", "rules-test.yml"],
        ] {
            let (ending, output, errors) = try Child.run(
                ["sh", "-c", #"cd "$0" && exec promtool "$@""#, Self.folder] + command,
                in: try Workplace(), seconds: 60)
            #expect(ending == .exit(0), "\(output) \(errors)")
        }
    }

    @Test("The dashboard is JSON with a query in every panel")
    func dashboard() throws {
        let dashboard = try JSON(text(of: "\(Self.folder)/dashboard.json"))
        let panels = dashboard["panels"]?.array ?? []
        #expect(panels.count > 10)
        for panel in panels {
            let queries = panel["targets"]?.array?.compactMap { $0["expr"]?.string } ?? []
            #expect(!queries.isEmpty, "\(panel["title"]?.string ?? "?")")
        }
    }

    @Test("The types that Grafana makes of its schema know every part of the dashboard")
    func schema() throws {
        guard let programs = PythonTools.telemetry else {
            return Skip.because("Python's grafana-foundation-sdk is not available")
        }
        let checked = try Child.run(
            [
                "\(programs)/python",
                Built.root.appending(path: "Tests/EndToEndTests/Reference/dashboard.py").path,
                "\(Self.folder)/dashboard.json",
            ], in: try Workplace())
        #expect(checked.ending == .exit(0), "\(checked.errors)")
        #expect(checked.output.contains(#/[1-9]\d+ panels/#), "\(checked.output)")
    }

    /// Names of measurements, a series of a histogram counting as the histogram.
    private static func names(in text: String) -> Set<String> {
        let found = text.matches(of: #/payqueued_[a-z_]+/#).map { String($0.0) }
        return Set(
            found.map { name in
                ["_bucket", "_count", "_sum"].reduce(name) { name, end in
                    name.hasSuffix(end) ? String(name.dropLast(end.count)) : name
                }
            })
    }
}
