import Testing

/// A check that finds nothing proves nothing until it has been seen to find something: each one
/// is shown a planted violation, and what looks like one and is none.
@Suite("The checks find what they look for")
struct ChecksTests {
    private let architecture = """
        ## Targets and what they may import

        | Target | Ours | Packages | Toolchain | Never |
        |---|---|---|---|---|
        | `Core` | – | – | – | anything |
        | `Server` | `Core` | `NIOCore` | `Glibc` | storage |

        ## Next
        """

    private let manifest = """
        let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
        let package = Package(
            products: [.executable(name: "tool", targets: ["Server"])],
            targets: [
                .target(name: "Core"),
                .target(name: "Server", dependencies: ["Core", nioCore]),
                .testTarget(name: "CoreTests", dependencies: ["Core"]),
            ])
        """

    private func tree(_ files: [String: String]) -> SourceTree {
        var all = ["ARCHITECTURE.md": architecture, "Package.swift": manifest]
        all.merge(["Sources/Core/A.swift": "", "Sources/Server/A.swift": ""]) { $1 }
        all.merge(files) { $1 }
        return SourceTree(all)
    }

    private func core(_ text: String) -> SourceTree { tree(["Sources/Core/A.swift": text]) }

    @Test("An import outside the row of its target is found, in every spelling")
    func importsAreFound() {
        for text in [
            "import Foundation", "public import Foundation", "@testable import Foundation",
            "import struct Foundation.Date", "    @_exported public import Foundation",
            "/* why */ import Foundation", "#if canImport(Foundation)\nimport Foundation\n#endif",
        ] {
            #expect(Checks.importsOutsideTheirRow(core(text)).count == 1, "\(text)")
        }
        let server = tree(["Sources/Server/A.swift": "import Core\nimport NIOCore\nimport Glibc"])
        #expect(Checks.importsOutsideTheirRow(server).isEmpty)
    }

    @Test("A phrase of the word list is found in every text for users, with a better one")
    func phrases() {
        let literal = """
            func report() {
                // Nobody reads this.
                log("it is \\(state.isOpen ? "open" : "shut") and Nobody " + "answers",
                    \"""
                    The value
                    is no number.
                    \""")
            }
            """
        let found = Checks.foreignPhrases(core(literal))
        #expect(found.map(\.line) == [3, 4])
        #expect(found.map(\.description).allSatisfy { $0.contains("; better: ") })
        for line in [
            "The daemon wants a person.", "Say how the daemon is", "'off' takes it back, always",
            "kept for ever", "follow what stands below each 'bad'", "who has been told; nothing",
        ] {
            let script = tree([
                "Sources/tool/Page/a.js": "    show('\(line.replacing("'", with: ""))')"
            ])
            #expect(Checks.foreignPhrases(script).map(\.line) == [1], "\(line)")
            #expect(Checks.foreignPhrases(core("let a = \"\(line)\"")).count == 1, "\(line)")
            let page = tree(["A.md": "A title\n\n| \(line) |"])
            #expect(Checks.foreignPhrases(page).map(\.line) == [3], "\(line)")
            let catalogue = tree(["systemd/a.catalog": "Subject: A\n\nIt says:\n\(line)"])
            #expect(Checks.foreignPhrases(catalogue).map(\.line) == [3], "\(line)")
        }
    }

    @Test("What looks like a phrase of the word list and is none passes")
    func fineTexts() {
        for line in [
            "there is no number", "it is no longer there", "as it is. There it ends", "nobody",
            "whether there is one", "is there a name", "instead of roles.everybody",
            "the key `everybody` holds",
            "for everything", "besides that",
        ] {
            #expect(Checks.foreignPhrases(core("let a = \"\(line)\"")).isEmpty, "\(line)")
        }
        #expect(Checks.foreignPhrases(core("/// nobody is told")).isEmpty)
        #expect(Checks.foreignPhrases(tree(["Tests/A.swift": "let a = \"for ever so\""])).isEmpty)
    }

    @Test("A documentation comment that begins with a question is found")
    func questioningComments() {
        for word in ["Who asks.", "What is asked.", "Nobody.", "Somebody asks.", "Whoever asks."] {
            let found = Checks.questioningComments(core("struct A {\n    /// \(word)\n}"))
            #expect(found.map(\.line) == [2], "\(word)")
        }
        for line in ["/// Whose question it is.", "// What is it?", "/// The question."] {
            #expect(Checks.questioningComments(core(line)).isEmpty, "\(line)")
        }
        let made = Checks.questioningComments(core("    /// Makes a text.\n    public init() {}"))
        #expect(made.map(\.line) == [1])
        #expect(Checks.questioningComments(core("/// Makes sure.\nfunc run() {}")).isEmpty)
    }

    @Test("A paper that is not in the repository is found in documents, texts and comments")
    func citations() {
        // Written in two pieces, so that this file passes.
        for (noun, number) in [
            ("see rule", "6.5"), ("(reliability" + " rule", "R17)"), ("PROTOCOL", ".md section 1"),
            ("pain", "3"), ("readings", "7 and 8"), ("as (", "R13) says"), ("see", "D4"),
            ("finding", "B6"),
        ] {
            let line = noun + (noun.hasSuffix("(") || number.hasPrefix(".") ? "" : " ") + number
            #expect(Checks.foreignCitations(tree(["A.md": line])).map(\.line) == [1], "\(line)")
            #expect(Checks.foreignCitations(core("let a = \"\(line)\"")).count == 1, "\(line)")
            #expect(Checks.foreignCitations(core("    /// \(line)")).count == 1, "\(line)")
            let test = tree(["Tests/A.swift": "// \(line)"])
            #expect(Checks.foreignCitations(test).count == 1, "\(line)")
        }
        #expect(Checks.foreignCitations(core("// T9" + ": a torn tail is cut")).count == 1)
        for line in [
            "the rule of three", "rules 2 ways", "painful", "Protocol.md", "HOUSES", "an S3 bucket",
            "RFC 7515 section 7.1", "P1D and R1", "\"D1\"", "(RS256)",
        ] {
            #expect(Checks.foreignCitations(tree(["A.md": line])).isEmpty, "\(line)")
        }
    }

    @Test("An import of all of Foundation is found in what is shipped, and nowhere else")
    func allOfFoundation() {
        for module in ["Foundation", "NIOFoundationCompat", "FoundationNetworking"] {
            #expect(Checks.importsOfAllOfFoundation(core("import \(module)")).map(\.line) == [1])
        }
        #expect(Checks.importsOfAllOfFoundation(core("import FoundationEssentials")).isEmpty)
        let test = tree(["Tests/CoreTests/A.swift": "import Foundation"])
        #expect(Checks.importsOfAllOfFoundation(test).isEmpty)
    }

    @Test(
        "A dependency is read from the list that follows, and from the one that a function passes on"
    )
    func manifestLists() {
        let manifest = Manifest(
            """
            let httpClient = Target.Dependency.product(name: "HTTP", package: "http")
            .target(name: "A", dependencies: ["B"] + reaching(["C", httpClient]), path: "a"),
            .target(name: "B", dependencies: ["D"], exclude: ["E"]),
            """)
        #expect(manifest.dependencies == ["A": ["B", "C", "HTTP"], "B": ["D"]])
    }

    @Test("An import in a comment or in a text is none")
    func textIsNoImport() {
        for text in [
            "// import Foundation", "/* \n import Foundation \n*/",
            "let text = \"\"\"\n    import Foundation\n    \"\"\"",
        ] {
            #expect(Checks.importsOutsideTheirRow(core(text)).isEmpty, "\(text)")
        }
    }

    @Test("A target without a row and a row without a target are found")
    func rowsAreFound() {
        #expect(Checks.rowsThatAreNotTrue(tree([:])).isEmpty)
        #expect(Checks.rowsThatAreNotTrue(tree(["Sources/Other/A.swift": ""])).count == 1)
        let extra = architecture.replacing(
            "| `Server`", with: "| `Gone` | – | – | – | – |\n| `Server`")
        #expect(Checks.rowsThatAreNotTrue(tree(["ARCHITECTURE.md": extra])).count == 1)
    }

    @Test("A row and a manifest that differ are found, whichever says more")
    func manifestIsCompared() {
        let less = manifest.replacing("[\"Core\", nioCore]", with: "[\"Core\"]")
        #expect(Checks.rowsThatAreNotTrue(tree(["Package.swift": less])).count == 1)
        let more = manifest.replacing(
            "nioCore]", with: "nioCore, .product(name: \"NIOPosix\", package: \"swift-nio\")]")
        let findings = Checks.rowsThatAreNotTrue(tree(["Package.swift": more]))
        #expect(findings.map(\.message) == ["Server depends on NIOPosix, its row does not say so"])
    }

    @Test("A resolved package that the manifest does not name, or in another version, is found")
    func versions() {
        let manifest = """
            .package(url: "https://example.org/one", exact: "1.2.3"),
            let indirect = [("two", "4.5.6", "Two")]
            """
        func findings(_ name: String, _ version: String) -> Int {
            let resolved = """
                {"pins" : [{ "identity" : "\(name)", "kind" : "x", "state" : {
                    "revision" : "abc", "version" : "\(version)" } }]}
                """
            return Checks.floatingVersions(
                SourceTree(["Package.swift": manifest, "Package.resolved": resolved])
            ).count
        }
        #expect(findings("one", "1.2.3") == 0 && findings("two", "4.5.6") == 0)
        #expect(findings("one", "1.2.4") == 1 && findings("three", "4.5.6") == 1)
        #expect(Checks.floatingVersions(SourceTree(["Package.swift": manifest])).count == 1)
    }

    @Test("A document without its table allows nothing")
    func missingTable() {
        let without = tree(["ARCHITECTURE.md": "# Something else"])
        #expect(Checks.rowsThatAreNotTrue(without).count == 2)
    }

    @Test("A product module in an end-to-end test is found")
    func endToEndImports() {
        let bad = tree(["Tests/EndToEndTests/A.swift": "import Testing\nimport Core"])
        #expect(Checks.productImportsEndToEnd(bad).map(\.line) == [2])
        #expect(
            Checks.productImportsEndToEnd(tree(["Tests/CoreTests/A.swift": "import Core"])).isEmpty)
    }

    @Test("A file may have 500 lines and not 501")
    func sizes() {
        #expect(Checks.longFiles(core(String(repeating: "\n", count: 500))).isEmpty)
        #expect(Checks.longFiles(core(String(repeating: "\n", count: 501))).count == 1)
        let prose = tree(["README.md": String(repeating: "\n", count: 501)])
        #expect(Checks.longFiles(prose).isEmpty)
    }

    @Test("A function may have 70 lines and not 71, whatever its header looks like")
    func functionLengths() {
        let headers = ["func a() {", "init(\n    a: Int\n) {", "subscript(a: Int) -> Int {"]
        for header in headers {
            let fits = header + String(repeating: "\n", count: 69) + "}"
            #expect(Checks.longFunctions(core("struct A {\n" + fits + "}")).isEmpty)
            let tooLong = header + "if a { b {} }" + String(repeating: "\n", count: 70) + "}"
            #expect(Checks.longFunctions(core("struct A {\n" + tooLong + "}")).count == 1)
        }
        let type = "struct A {\n" + String(repeating: "\n", count: 99) + "}"
        #expect(Checks.longFunctions(core(type)).isEmpty)
    }

    @Test(
        "What the queue must be told, it may not fetch",
        arguments: [
            "let now = Date()", "let now = Date.now", "let id = UUID()",
            "try await Task.sleep(for: .seconds(1))", "var g = SystemRandomNumberGenerator()",
            "let n = Int.random(in: 0..<6)", "let clock = ContinuousClock()",
            "let text = \"it is \\(Date())\"",
        ])
    func fetching(code: String) {
        for target in ["PaymentCore", "PaymentEngine"] {
            let bad = SourceTree(["Sources/\(target)/A.swift": "\n" + code])
            #expect(Checks.bannedCalls(bad).map(\.line) == [2])
        }
        #expect(Checks.bannedCalls(SourceTree(["Sources/payqueued/A.swift": code])).isEmpty)
    }

    @Test(
        "What is banned from all sources is found in any",
        arguments: [
            "Task.detached { }", "let a = try! b()", "let a = b as! C", "fatalError(\"no\")",
        ])
    func banned(code: String) {
        let bad = SourceTree(["Sources/payqueued/A.swift": code])
        #expect(Checks.bannedCalls(bad).count == 1)
    }

    @Test("A detached task is banned from tests too, a trap is not")
    func tests() {
        let test = "Tests/CoreTests/A.swift"
        #expect(Checks.bannedCalls(SourceTree([test: "Task.detached { }"])).count == 1)
        #expect(Checks.bannedCalls(SourceTree([test: "try! f()"])).isEmpty)
    }

    @Test("The environment is read where configuration belongs, and nowhere else")
    func environment() {
        let code = "let home = getenv(\"HOME\")"
        #expect(Checks.bannedCalls(SourceTree(["Sources/PaymentStorage/A.swift": code])).count == 1)
        #expect(Checks.bannedCalls(SourceTree(["Sources/payqueued/A.swift": code])).isEmpty)
    }

    @Test("Words about a banned call are no call")
    func words() {
        let code = """
            // Never Task.detached, never try! and no fatalError.
            let advice = "do not use try! or Task.detached"
            let raw = #"a "quoted" try! stays text"#
            let next = 1 // and fatalError here
            """
        #expect(Checks.bannedCalls(SourceTree(["Sources/PaymentCore/A.swift": code])).isEmpty)
    }

    @Test("A literal that ends early or late would hide code: what follows one is still seen")
    func literalsEnd() {
        for literal in [
            "\"\"", "\"\\\"\"", "\"\\\\\"", "#\"\\\"#", "\"a \\(b(\"c)\")) d\"",
            "\"\"\"\n  \"quoted\"\n  \"\"\"",
        ] {
            let tree = SourceTree(["Sources/A/A.swift": "let a = \(literal); try! b()"])
            #expect(Checks.bannedCalls(tree).count == 1, "\(literal)")
        }
    }

    @Test("An unchecked promise needs its proof in the comment right above it")
    func promises() {
        let promise = "final class A: @unchecked Sendable {}"
        #expect(Checks.unprovenPromises(core(promise)).count == 1)
        #expect(Checks.unprovenPromises(core("// Proof: immutable.\n\n" + promise)).count == 1)
        #expect(Checks.unprovenPromises(core("// It is fine.\n" + promise)).count == 1)
        #expect(Checks.unprovenPromises(core("// Proof: immutable.\n" + promise)).isEmpty)
        let long = "/// A box.\n// Proof: one lock\n// guards it.\n@frozen\n" + promise
        #expect(Checks.unprovenPromises(core(long)).isEmpty)
        #expect(Checks.unprovenPromises(core("nonisolated(unsafe) var a = 1")).count == 1)
    }

    @Test("Traces of one machine and of registries are found in any file")
    func traces() {
        // Put together here, because the check reads this file as well.
        let bad = [
            "see /wo" + "rk/main", "path=/ho" + "me/someone", "\"/Us" + "ers/x\"",
            "in /op" + "t/swift/usr", "https://py" + "pi.org/x", "10.0" + ".0.1",
            "https://proxy.gol" + "ang.org",
        ]
        for text in bad {
            #expect(Checks.localTraces(SourceTree(["a.md": text])).count == 1, "\(text)")
        }
        let fine = "ProtectHome=yes, /run/payqueued, framework/ and version 2.10.0"
        #expect(Checks.localTraces(SourceTree(["a.md": fine])).isEmpty)
    }

    @Test("A link to no file, to no heading and one that only DocC knows is found")
    func links() {
        let target = "# One heading\n\n## The `second`, really\n"
        for link in [
            "[a](b.md)", "[a](docs/a.md#nothing)", "see <doc:a>", "[a](doc:a)", "[a](#nothing)",
        ] {
            let tree = SourceTree(["README.md": "# Top\n" + link, "docs/a.md": target])
            #expect(Checks.brokenLinks(tree).map(\.line) == [2], "\(link)")
        }
        let fine = """
            # Top
            [a](docs/a.md) [b](docs) [c](docs/a.md#the-second-really) [d](#top)
            [e](https://example.org/) `[f](nowhere)`
            """
        #expect(Checks.brokenLinks(SourceTree(["README.md": fine, "docs/a.md": target])).isEmpty)
        let back = SourceTree(["README.md": "# Top", "docs/a.md": "[a](../README.md#top)"])
        #expect(Checks.brokenLinks(back).isEmpty)
    }

    @Test("A README of 121 lines, one without an early command and none at all are found")
    func readmes() {
        let good = "# A\n\nmake demo\n"
        #expect(Checks.tiresomeReadme(SourceTree(["README.md": good])).isEmpty)
        let long = good + String(repeating: "word\n", count: 118)
        #expect(Checks.tiresomeReadme(SourceTree(["README.md": long])).count == 1)
        let late = String(repeating: "word\n", count: 20) + "make demo\n"
        #expect(Checks.tiresomeReadme(SourceTree(["README.md": late])).count == 1)
        #expect(Checks.tiresomeReadme(SourceTree([:])).count == 1)
    }

    @Test("A product, a binary or a test target that does not exist is found in the Makefile")
    func makefiles() {
        for recipe in ["swift build --product tol", "$(release_bin)/tol", "--filter CoreTest"] {
            #expect(
                Checks.unknownNamesInMakefile(tree(["Makefile": recipe])).count == 1, "\(recipe)")
        }
        let fine = "build --product tool\n$(release_bin)/tool\n--filter CoreTests"
        #expect(Checks.unknownNamesInMakefile(tree(["Makefile": fine])).isEmpty)
        #expect(Checks.unknownNamesInMakefile(tree([:])).count == 1)
    }

    @Test("A gap in the decision records is found")
    func decisions() {
        let folder = "Sources/payqueued/Documentation.docc/Decisions/"
        let gap = SourceTree([folder + "0001-a.md": "", folder + "0003-b.md": ""])
        #expect(Checks.missingDecisions(gap).count == 1)
        let twice = SourceTree([folder + "0001-a.md": "", folder + "0001-b.md": ""])
        #expect(Checks.missingDecisions(twice).count == 1)
        let fine = SourceTree([folder + "0001-a.md": "", folder + "0002-b.md": ""])
        #expect(Checks.missingDecisions(fine).isEmpty)
    }
}
