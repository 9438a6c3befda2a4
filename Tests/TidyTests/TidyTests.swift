import Foundation
import PaymentTesting
import Testing

/// The repository keeps its own rules.
@Suite("The repository is tidy", .ownThreads)
struct TidyTests {
    private let tree: SourceTree

    init() throws {
        tree = try SourceTree.repository()
    }

    private func expectNone(
        _ findings: [Finding], _ location: SourceLocation = #_sourceLocation
    ) {
        for finding in findings {
            Issue.record("\(finding)", sourceLocation: location)
        }
    }

    @Test("The tree that the checks read is this repository")
    func treeIsRead() {
        #expect(tree.files.filter(\.isSwift).count > 20)
        #expect(tree["Package.swift"] != nil)
        #expect(tree.folders(in: "Sources").contains("PaymentCore"))
    }

    @Test("Every file imports only what its target's row in ARCHITECTURE.md allows")
    func imports() {
        expectNone(Checks.importsOutsideTheirRow(tree))
    }

    @Test("No program carries all of Foundation")
    func foundation() {
        expectNone(Checks.importsOfAllOfFoundation(tree))
    }

    @Test("Every target has a row, and the manifest declares what the row allows")
    func rows() {
        expectNone(Checks.rowsThatAreNotTrue(tree))
    }

    @Test("The manifest names the version of every package that was resolved")
    func versions() {
        expectNone(Checks.floatingVersions(tree))
    }

    @Test("End-to-end tests import no product module")
    func endToEnd() {
        expectNone(Checks.productImportsEndToEnd(tree))
    }

    @Test("No source file is longer than 500 lines")
    func sizes() {
        expectNone(Checks.longFiles(tree))
    }

    @Test("No function is longer than 70 lines")
    func functions() {
        expectNone(Checks.longFunctions(tree))
    }

    @Test("No type has more than 15 stored properties or 400 lines over all its files")
    func types() {
        expectNone(Checks.largeTypes(tree, besides: Set(Checks.largeTypes.keys)))
    }

    @Test("Nothing calls what is banned where it lies")
    func bans() {
        expectNone(Checks.bannedCalls(tree))
    }

    @Test("Every unchecked promise to the compiler has a proof above it")
    func proofs() {
        expectNone(Checks.unprovenPromises(tree))
    }

    @Test("No file names a path of one machine or a package registry")
    func traces() {
        expectNone(Checks.localTraces(tree))
    }

    @Test("No document, text or comment cites a paper that is not in the repository")
    func citations() {
        expectNone(Checks.foreignCitations(tree))
    }

    @Test("No text for users uses a phrase of the word list")
    func phrases() {
        expectNone(Checks.foreignPhrases(tree))
    }

    @Test("No documentation comment begins with a question")
    func comments() {
        expectNone(Checks.questioningComments(tree))
    }

    /// `make texts` names the file; without a name nothing is written.
    @Test("The texts for users are collected, those of every kind")
    func texts() throws {
        let texts = UserTexts.all(in: tree)
        for (path, text) in [
            ("Sources/payqueuectl/Commands/BuyCommand.swift", "Buy a product"),
            ("Sources/PaymentAPI/Errors/ErrorCode+Rows.swift", "Method not found"),
            ("Sources/PaymentServer/MetricsReport.swift", "Open connections."),
            ("Sources/payqueuectl/Page/page.html", "payqueued"),
            ("Sources/payqueuectl/Page/list.js", "The queue is empty."),
            ("systemd/payqueued.catalog", "Subject: "),
            ("systemd/observability/payqueued.rules.yml", "Cannot read metrics"),
            ("systemd/observability/dashboard.json", "store"), ("README.md", "payment queue"),
        ] {
            #expect(texts.contains { $0.path == path && $0.text.contains(text) }, "\(path)")
        }
        guard let path = ProcessInfo.processInfo.environment["PAYQUEUED_TEXTS"] else { return }
        let lines = texts.map { "\($0)\n" }.joined()
        try Data(lines.utf8).write(to: URL(fileURLWithPath: path))
    }

    @Test("Every link in a document leads somewhere")
    func links() {
        expectNone(Checks.brokenLinks(tree))
    }

    @Test("The README has at most 120 lines and a command by line 20")
    func readme() {
        expectNone(Checks.tiresomeReadme(tree))
    }

    @Test("Every product and test target named in the Makefile exists")
    func makefile() {
        expectNone(Checks.unknownNamesInMakefile(tree))
    }

    @Test("The message catalogue explains every notable event, and each is logged somewhere")
    func catalogue() {
        expectNone(Checks.eventsThatNobodyExplains(tree))
    }

    @Test("Decision records are numbered without a gap")
    func decisions() {
        expectNone(Checks.missingDecisions(tree))
    }
}
