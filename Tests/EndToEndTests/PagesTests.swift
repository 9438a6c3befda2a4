import Foundation
import PaymentTesting
import Testing

/// The pages that people look at, in a real browser: what the scripts in `Pages` check.
@Suite("Pages in a browser", .ownThreads, .serialized)
struct PagesTests {
    /// How a script ends where there is no browser.
    private static let nothingToTry = Child.Ending.exit(77)

    @Test("The browser finds what is wrong with a page")
    func browser() throws {
        try Self.check("browser_checks.py", atLeast: 9)
    }

    @Test("The page of the queue works in every size and colour, by touch and by keys")
    func queue() throws {
        let environment = ProcessInfo.processInfo.environment
        var arguments: [String] = []
        if let counts = environment["PAYQUEUED_PAGE_COUNTS"] { arguments += ["--counts", counts] }
        if environment["RECORD"] == "1" {
            let folder = "Sources/payqueued/Documentation.docc/Resources"
            arguments += ["--pictures", Built.root.appending(path: folder).path]
        }
        try Self.check("queue_page.py", arguments, atLeast: 60, seconds: 900)
    }

    @Test("The operator's pages of a store work in every size and colour, by touch and by keys")
    func store() throws {
        let environment = ProcessInfo.processInfo.environment
        let place = try Workplace()
        func folder(_ name: String) throws -> String {
            let folder = place("states/\(name)")
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            return folder + "/store"
        }
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        try BusyStore.write(into: try folder("busy"), until: now)
        var arguments = ["--states", place("states")]
        if let counts = environment["PAYQUEUED_PAGE_COUNTS"] {
            let many = counts.split(separator: ",").compactMap { Int($0) }.filter { $0 > 0 }
            for count in many {
                _ = try ManyOrders.write(count, of: "demo", intoStoreAt: try folder(String(count)))
            }
            let sizes = many.map(String.init).joined(separator: ",")
            arguments += ["--counts", sizes]
        }
        if environment["RECORD"] == "1" {
            let folder = "Sources/payqueued/Documentation.docc/Resources"
            arguments += ["--pictures", Built.root.appending(path: folder).path]
        }
        try Self.check("store_page.py", arguments, atLeast: 20, seconds: 900)
    }

    /// Runs a script and takes over what it found.
    private static func check(
        _ script: String, _ arguments: [String] = [], atLeast count: Int, seconds: Double = 120,
        _ name: String = #function
    ) throws {
        guard Built.has("python3") else { return Skip.because("python3 is not installed", name) }
        let place = try Workplace()
        let path = Built.root.appending(path: "Tests/EndToEndTests/Pages/\(script)").path
        let programs = URL(filePath: Built.daemon).deletingLastPathComponent().path
        let axe = PythonTools.axe.map { ["--axe", $0] } ?? []
        let (ending, output, errors) = try Child.run(
            ["python3", path, "--bins", programs] + axe + arguments, in: place,
            environment: ["TMPDIR": place.path, "PYTHONDONTWRITEBYTECODE": "1"], seconds: seconds)
        let lines = output.split(separator: "\n")
        for line in lines where line.hasPrefix("skip ") { Skip.because(String(line), name) }
        guard ending != nothingToTry else { return }
        for line in lines where line.hasPrefix("note ") { print(line) }
        for line in lines where line.hasPrefix("FAIL ") { Issue.record("\(line)") }
        #expect(ending == .exit(0), "\(errors)")
        #expect(lines.count { $0.hasPrefix("ok ") } >= count, "\(output)")
    }
}
