import Foundation
import PaymentTesting
import Testing

/// The demonstration that a newcomer sees first.
@Suite("payqueuectl demo", .ownThreads)
struct DemoTests {
    private static let picture = "Sources/payqueued/Documentation.docc/Resources/demo.svg"

    @Test("The demo tells in words what the README's picture shows, and leaves nothing")
    func story() throws {
        let place = try Workplace()
        let shown = try Self.demo(Built.daemon, in: place)
        #expect(shown.ending == .exit(0), "\(shown.errors)")
        let story = Self.story(shown.output)
        #expect(story.last == "acknowledged 3, found 3, lost 0, doubled 0")
        #expect(story.filter { !$0.isEmpty }.count <= 20)
        #expect(story.allSatisfy { $0.count <= 80 && !$0.contains("{") && !$0.contains("\u{1B}") })
        #expect(story == (try Self.drawnStory()), "draw it again with 'make picture'")
        try Self.expectNothingLeft(of: shown.output, in: place)
    }

    @Test("The demo for programs is the same steps as objects, with the count at the end")
    func programs() throws {
        let place = try Workplace()
        let shown = try Child.run(
            [Built.control, "demo", "--daemon", Built.daemon, "--json"], in: place)
        #expect(shown.ending == .exit(0), "\(shown.errors)")
        let lines = try shown.output.split(separator: "\n").map { try JSON(String($0)) }
        let count = ["acknowledged", "found", "lost", "doubled"].map { lines.last?[$0]?.int }
        #expect(count == [3, 3, 0, 0], "\(shown.output)")
        let steps = lines.dropLast().map { line in
            let actor = line["actor"]?.string ?? "?"
            let gap = String(repeating: " ", count: max(1, 9 - actor.count))
            return actor + gap + (line["text"]?.string ?? "?")
        }
        let told = try Self.drawnStory()
        #expect(steps == Array(told.dropFirst().dropLast()))
    }

    @Test("A daemon that comes back without its journal loses purchases, and the demo fails")
    func lost() throws {
        let place = try Workplace()
        let program = try Self.faulty(
            """
            rm -rf "$state"/journal-* "$state"/snapshot-* "$state"/format.json "$state"/clock "$state"/lock
            """, in: place)
        let shown = try Self.demo(program, in: place)
        #expect(shown.ending == .exit(1))
        #expect(shown.output.contains("remove-ads is not in the queue"), "\(shown.output)")
        #expect(shown.output.contains(#/acknowledged \d+, found \d+, lost [1-9]/#))
        #expect(shown.errors.contains("purchases are lost or doubled"))
        try Self.expectNothingLeft(of: shown.output, in: place)
    }

    @Test("A charge that nobody asked for counts as doubled, and the demo fails")
    func doubled() throws {
        let place = try Workplace()
        let program = try Self.faulty(
            """
            '\(Built.daemon)' --demo --socket "$state.sock" --state-directory "$state" &
            until '\(Built.control)' ping --socket "$state.sock"; do :; done
            '\(Built.control)' call test.buy product=coins.100 --socket "$state.sock"
            kill $! && wait
            """, in: place)
        let shown = try Self.demo(program, in: place)
        #expect(shown.ending == .exit(1))
        #expect(
            shown.output.contains("acknowledged 3, found 3, lost 0, doubled 1"), "\(shown.output)")
        try Self.expectNothingLeft(of: shown.output, in: place)
    }

    @Test("The commands that the demo prints work when they are typed")
    func commandsWork() throws {
        guard Built.has("bash") else { return Skip.because("bash is not installed") }
        let place = try Workplace()
        let shown = try Self.demo(Built.daemon, in: place)
        let typed = shown.output.split(separator: "\n").suffix(5)
            .map { String($0).replacing("/tmp/pq.sock", with: place("s")) }
        #expect(typed.last == "  kill %2 %1")
        let session = try Child(
            ["bash", "-m", "-c", (typed + ["wait"]).joined(separator: "\n")], in: place,
            name: "typed")
        _ = try session.wait()
        #expect(session.standardOutput.contains("purchased  coins.100"), "\(session.standardError)")
        #expect(session.standardOutput.contains("finished"))
        try Self.expectNoProcess(with: place("s"), in: place)
    }

    @Test("A demo that cannot start its daemon says so, exits with an error and leaves nothing")
    func broken() throws {
        let place = try Workplace()
        for program in ["/nonexistent/payqueued", "/bin/false"] {
            let shown = try Self.demo(program, in: place)
            #expect(shown.ending == .exit(1))
            #expect(shown.errors.contains(program))
            try Self.expectNothingLeft(of: shown.output, in: place)
        }
    }

    @Test("A demo that is interrupted ends its daemon and leaves nothing", arguments: [2, 15, 1])
    func interrupted(number: Int32) throws {
        let place = try Workplace()
        let child = try Child(
            [Built.control, "demo", "--daemon", Built.daemon, "--pace", "5"], in: place,
            name: "demo")
        let isUnderWay = eventually(within: 60) {
            child.standardOutput.contains("started; a game connects") ? true : nil
        }
        #expect(isUnderWay == true)
        child.send(number)
        #expect(try child.wait() == .signal(number))
        #expect(child.standardError.isEmpty)
        try Self.expectNothingLeft(of: child.standardOutput, in: place)
    }

    @Test("A demo whose reader goes away ends its daemon and leaves nothing")
    func readerGone() throws {
        let place = try Workplace()
        let command = "'\(Built.control)' demo --daemon '\(Built.daemon)' --pace 0.1 | head -n 3"
        let shown = try Child.run(["sh", "-c", command], in: place)
        #expect(shown.output.split(separator: "\n").count == 2, "\(shown.output)")
        try Self.expectNothingLeft(of: shown.output, in: place)
    }

    private static func demo(
        _ program: String, in place: Workplace
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        try Child.run([Built.control, "demo", "--daemon", program, "--pace", "0"], in: place)
    }

    /// A daemon that does something to its files before it starts on them for the second time.
    private static func faulty(_ lines: String, in place: Workplace) throws -> String {
        let script = """
            #!/bin/sh
            state=$5
            if [ -e "$state" ]; then
            \(lines)
            fi
            exec '\(Built.daemon)' "$@"
            """
        return try place.program(script, named: "payqueued")
    }

    /// The lines before what is left to type, with the same directory in all of them.
    private static func story(_ output: String) -> [String] {
        let told = output.components(separatedBy: "Nothing is left running")[0]
        return told.trimmingCharacters(in: .newlines)
            .replacing(#/payqueued-demo-\w+/#, with: "payqueued-demo-x7Kd2Q")
            .components(separatedBy: "\n").filter { !$0.isEmpty }
    }

    /// The words of the picture below the command that made it.
    private static func drawnStory() throws -> [String] {
        let text = try String(contentsOf: Built.root.appending(path: picture), encoding: .utf8)
        let lines = text.matches(of: #/<text [^>]*>(.*)</text>/#).map { line in
            line.1.replacing(#/<[^>]*>/#, with: "").replacing("&gt;", with: ">")
                .replacing("&lt;", with: "<").replacing("&amp;", with: "&")
        }
        #expect(lines.first == "$ make demo")
        return lines.dropFirst().map(String.init)
    }

    private static func expectNothingLeft(of output: String, in place: Workplace) throws {
        let found = try #require(output.firstMatch(of: #//tmp/payqueued-demo-\w+/#))
        #expect(!FileManager.default.fileExists(atPath: String(found.0)))
        try expectNoProcess(with: String(found.0), in: place)
    }

    private static func expectNoProcess(with word: String, in place: Workplace) throws {
        let running = try Child.run(
            ["sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"], in: place)
        #expect(!running.output.contains(word))
    }
}
