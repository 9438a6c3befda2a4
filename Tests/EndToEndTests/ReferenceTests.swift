import Foundation
import PaymentTesting
import Testing

/// Schemas, pages and manual pages that are made from the declarations in the code.
@Suite("References", .ownThreads)
struct ReferenceTests {
    /// What `payqueuectl manual` writes, and where the recorded copy is.
    private static let recorded = [
        ("schemas/payqueued.schema.json", "systemd/schemas/payqueued.schema.json"),
        ("schemas/payqueued-catalog.schema.json", "systemd/schemas/payqueued-catalog.schema.json"),
        ("pages/Configuration.md", "Sources/payqueued/Documentation.docc/Configuration.md"),
        ("pages/Catalogue.md", "Sources/payqueued/Documentation.docc/Catalogue.md"),
    ]

    @Test("The recorded schemas and pages are those of the code")
    func golden() throws {
        let place = try Self.manual()
        for (made, kept) in Self.recorded {
            let file = Built.root.appending(path: kept)
            let wanted = text(of: place(made))
            #expect(!wanted.isEmpty, "\(made) is missing")
            if ProcessInfo.processInfo.environment["RECORD"] == "1" {
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(wanted.utf8).write(to: file)
            }
            #expect(text(of: file.path) == wanted, "\(kept) differs; record it with RECORD=1")
        }
    }

    @Test("Schemas and daemon take and refuse the same files")
    func schemas() throws {
        guard let programs = PythonTools.publisher else {
            return Skip.because("Python's jsonschema is not available")
        }
        let place = try Self.manual()
        let catalogue = text(
            of: Built.root.appending(
                path: "Sources/PaymentSandbox/Catalogue/ExampleCatalogue.swift"
            ).path)
        let builtIn = try #require(catalogue.split(separator: "\"\"\"").dropFirst().first)
        let examples = Built.root.appending(path: "systemd/examples").path
        let compared = try Child.run(
            [
                "\(programs)/python",
                Built.root.appending(path: "Tests/EndToEndTests/Reference/schemas.py").path,
                "--daemon", Built.daemon, "--folder", place.path,
                "--schemas", place("schemas"),
                "--config", "\(examples)/payqueued.json", "--catalog", "\(examples)/catalog.json",
                "--catalog", try place.write(String(builtIn), to: "built-in.json"),
            ], in: place, environment: ["HOME": place.path], seconds: 300)
        #expect(compared.ending == .exit(0), "\(compared.errors)")
        #expect(compared.output.contains("catalog: "), "\(compared.output)")
    }

    @Test("--print-config shows the keys of the schema, and the flags are those of the help")
    func keys() throws {
        let place = try Workplace()
        let schema = try JSON(
            Child.run([Built.daemon, "--print-schema", "config"], in: place).output)
        var names: [String] = []
        var flags: Set<String> = []
        for (name, key) in schema["properties"]?.object ?? [:] where name != "$schema" {
            let members = key["properties"]?.object ?? [:]
            names += members.isEmpty ? [name] : members.keys.map { "\(name).\($0)" }
            if let flag = key["x-flag"]?.string { flags.insert(flag) }
        }
        let shown = try Child.run([Built.daemon, "--print-config"], in: place).output
            .split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(names.count > 40)
        #expect(shown.sorted() == (names + ["config"]).sorted())
        let help = try Child.run([Built.daemon, "--help"], in: place).output
        let listed = Set(help.matches(of: #/(?m)^ +(?:-h, )?(--[a-z-]+)/#).map { String($0.1) })
        let others: Set = [
            "--config", "--check-config", "--print-config", "--print-schema", "--version", "--help",
        ]
        #expect(listed == flags.union(others))
    }

    @Test("A variable of the environment sets each key that names one")
    func variables() throws {
        let place = try Workplace()
        let schema = try JSON(
            Child.run([Built.daemon, "--print-schema", "config"], in: place).output)
        var tried = 0
        for (name, key) in schema["properties"]?.object ?? [:] {
            guard let variable = key["x-environment"]?.string else { continue }
            let example = key["examples"]?.array?.first
            let value = example?.string ?? "true"
            let shown = try Child.run(
                [Built.daemon, "--print-config"], in: place, environment: [variable: value])
            #expect(
                shown.output.contains("\(name) = \(value)  [environment \(variable)]"),
                "\(shown.output) \(shown.errors)")
            tried += 1
        }
        #expect(tried > 12)
    }

    @Test("The manual pages of the programs list files, environment and every exit status")
    func sections() throws {
        let place = try Self.manual()
        for (page, program) in [
            ("man8/payqueued.8", Built.daemon), ("man8/payqueue-store.8", Built.store),
            ("man1/payqueuectl.1", Built.control),
        ] {
            let page = text(of: place("man/\(page)"))
            for section in ["ENVIRONMENT", "FILES", "EXIT STATUS"] {
                #expect(page.contains("\n.SH \(section)\n"), "\(program) lacks \(section)")
            }
            let help = try Child.run([program, "--help"], in: place).output
            let said = help.split(separator: #/Exit(?: status)?:/#).dropFirst().first ?? ""
            let statuses = said.prefix { $0 != "." }.matches(of: #/\b\d+\b/#).map { String($0.0) }
            let part = page.split(separator: ".SH EXIT STATUS\n").dropFirst().first ?? ""
            let listed = part.split(separator: "\n.SH").first?
                .matches(of: #/\\fB(\d+)\\fR/#).map { String($0.1) }
            #expect(statuses.count > 5 && listed == statuses, "\(program)")
        }
    }

    @Test("mandoc finds nothing wrong with any manual page")
    func lint() throws {
        guard Built.has("mandoc") else { return Skip.because("mandoc is not installed") }
        let place = try Self.manual()
        let pages = try FileManager.default.subpathsOfDirectory(atPath: place("man"))
            .filter { $0.contains(".") }.map { place("man/\($0)") }
        #expect(pages.count > 80)
        let checked = try Child.run(["mandoc", "-T", "lint"] + pages, in: place, seconds: 60)
        #expect(checked.output.isEmpty && checked.errors.isEmpty, "\(checked.output.prefix(900))")
    }

    /// Everything that `payqueuectl manual` writes, in a place of its own.
    private static func manual() throws -> Workplace {
        let place = try Workplace()
        let written = try Child.run(
            [Built.control, "manual", "--into", place.path], in: place, seconds: 120)
        try #require(written.ending == .exit(0), "\(written.errors)")
        return place
    }
}
