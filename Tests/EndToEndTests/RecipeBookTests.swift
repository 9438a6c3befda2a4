import Foundation
import PaymentTesting
import Testing

/// What the recipes of the Makefile promise to whoever types the first of them.
@Suite("The recipes", .ownThreads)
struct RecipeBookTests {
    private static let scripts = Built.root.appending(path: ".ci").path

    @Test("The demo and the tests share one build, and neither builds a release")
    func oneBuild() throws {
        guard Built.has("make") else { return Skip.because("make is not installed") }
        let place = try Workplace()
        let root = Built.root.path
        let demo = try Child.run(["make", "-C", root, "-n", "demo"], in: place).output
        let test = try Child.run(["make", "-C", root, "-n", "test"], in: place).output
        for recipe in [demo, test] {
            #expect(recipe.contains("swift build"), "\(recipe)")
            #expect(!recipe.contains("-c release") && !recipe.contains("--scratch-path"))
        }
        #expect(!demo.contains(".ci/packages") && !demo.contains("apt-get"), "\(demo)")
    }

    @Test("A build shows its steps, and what went wrong without them")
    func progress() throws {
        let place = try Workplace()
        let build = try place.write(
            """
            echo "Fetching https://example.org/swift-nio from cache"
            echo "[1/840] Compiling NIOCore A.swift"
            echo "[840/840] Linking payqueued"
            echo "A.swift:1:1: error: it is wrong"
            exit $1
            """, to: "build")
        func run(_ status: String) throws -> (ending: Child.Ending, output: String, errors: String)
        {
            try Child.run(
                ["\(Self.scripts)/progress", place("log"), "sh", build, status], in: place)
        }
        let good = try run("0")
        #expect(good.ending == .exit(0))
        #expect(good.errors == "Fetching https://example.org/swift-nio from cache\n")
        let bad = try run("3")
        #expect(bad.ending == .exit(3))
        #expect(bad.errors.hasSuffix("A.swift:1:1: error: it is wrong\n"))
        #expect(!bad.errors.contains("[1/840]"))
        #expect(text(of: place("log")).contains("[840/840] Linking payqueued"))
    }

    @Test("On a terminal one line of progress is written over and over, and gone at the end")
    func movingLine() throws {
        guard Built.has("script") else { return Skip.because("script is not installed") }
        let place = try Workplace()
        let build = try place.write(
            "echo '[312/840] Compiling NIOCore A.swift'; echo '[313/840] Write sources'",
            to: "build")
        let shown = try Child.run(
            [
                "script", "-qec", "\(Self.scripts)/progress \(place("log")) sh \(build)",
                "/dev/null",
            ],
            in: place)
        #expect(shown.output.contains("\r\u{1B}[K[312/840] compiling NIOCore\r\u{1B}[K"))
        #expect(shown.output.hasSuffix("\r\u{1B}[K"))
        #expect(!shown.output.contains("\n"))
    }

    @Test("Missing packages are named before they are installed, and none is upgraded for them")
    func packages() throws {
        let place = try Workplace()
        try place.program(
            """
            #!/bin/sh
            echo "apt-get $*" >>'\(place("calls"))'
            case "$*" in
            *-s*systemd*) echo 'Inst libsystemd0 [252.1] (252.2 Debian)' ;;
            *-s*) echo 'Inst jq (1.6 Debian)' ;;
            esac
            """, named: "apt-get")
        try place.program("#!/bin/sh\nshift; exec \"$@\"\n", named: "sudo")
        try place.program("#!/bin/sh\necho 1000\n", named: "id")
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let shown = try Child.run(
            ["\(Self.scripts)/packages", "jq", "systemd"], in: place,
            environment: ["PATH": "\(place.path):\(path)"])
        #expect(shown.ending == .exit(0), "\(shown.errors)")
        let said = shown.output.split(separator: "\n")
        #expect(said.first?.hasPrefix("Installing jq systemd") == true)
        #expect(said.last?.hasPrefix("Left out: systemd") == true)
        let calls = text(of: place("calls")).split(separator: "\n")
        let installing = calls.filter { $0.contains(" install ") && !$0.contains(" -s ") }
        #expect(installing.count == 1)
        #expect(installing.first?.hasSuffix(" --no-upgrade install jq") == true, "\(calls)")
    }
}
