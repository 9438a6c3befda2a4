import Foundation
import PaymentTesting
import Testing

/// The demonstration that a newcomer sees first.
@Suite("payqueuectl demo", .ownThreads)
struct DemoTests {
    @Test("The demo prints its socket first, a whole purchase line by line, and three commands")
    func demo() throws {
        let place = try Workplace()
        let shown = try Child.run(
            [Built.control, "demo", "--daemon", Built.daemon, "--pace", "0.02"], in: place)
        #expect(shown.ending == .exit(0), "\(shown.errors)")
        let lines = shown.output.split(separator: "\n").map(String.init)
        let socket = try #require(lines.first?.split(separator: " ").last.map(String.init))
        #expect(lines.first == "socket: \(socket)")
        let typed = try lines.filter { $0.hasPrefix("> ") }.map { try JSON($0.dropFirst(2)) }
        #expect(typed.map { $0["method"]?.string } == ["subscribe", "add", "finish"])
        let received = try lines.filter { $0.hasPrefix("< ") }.map { try JSON($0.dropFirst(2)) }
        #expect(received.compactMap { $0["id"]?.int } == [1, 2, 3])
        let id = received.first { $0["id"]?.int == 2 }?["result"]?["transaction"]?.string
        #expect(received.contains { $0.shows(id, "purchased") })
        #expect(received.last?.removes(id) == true)
        let commands = lines.suffix(3)
        #expect(commands.first?.contains("\(Built.daemon) --demo --socket") == true)
        #expect(commands.first?.hasSuffix("&") == true)
        #expect(commands.contains { $0.contains("socat -t5 - UNIX-CONNECT:") })
        #expect(commands.last?.contains("watch --socket") == true)
        try Self.expectNothingLeft(socket, in: place)
    }

    @Test("The commands that the demo prints work when they are typed")
    func commandsWork() throws {
        let place = try Workplace()
        let shown = try Child.run(
            [Built.control, "demo", "--daemon", Built.daemon, "--pace", "0"], in: place)
        let lines = shown.output.split(separator: "\n").map(String.init)
        let mine = lines.suffix(3).map { $0.replacing("/tmp/pq.sock", with: place("s")) }
        let start = try #require(mine.first).replacing(#/ &$/#, with: "")
        let daemon = try Child(["sh", "-c", "exec \(start)"], in: place, name: "daemon")
        _ = try #require(eventually(within: 60) { try? Line(to: place("s")) })
        // A person types it once more if the machine was too slow for its five seconds.
        let typed = mine[1].replacing("-t5", with: "-t60")
        let conversation = try Child(["sh", "-c", typed], in: place, name: "conversation")
        let isBought: Bool? = eventually(within: 60) {
            conversation.standardOutput.contains(#""transactionState":"purchased""#) ? true : nil
        }
        #expect(isBought == true, "\(conversation.standardOutput)")
        daemon.send(SIGTERM)
        #expect(try daemon.wait() == .exit(0))
    }

    @Test("A demo that cannot start its daemon says so, exits with an error and leaves nothing")
    func broken() throws {
        let place = try Workplace()
        for program in ["/nonexistent/payqueued", "/bin/false"] {
            let shown = try Child.run([Built.control, "demo", "--daemon", program], in: place)
            #expect(shown.ending == .exit(1))
            #expect(shown.errors.contains(program))
            let socket = shown.output.split(separator: "\n").first?.split(separator: " ").last
            try Self.expectNothingLeft(String(try #require(socket)), in: place)
        }
    }

    @Test("A demo that is interrupted ends its daemon and leaves nothing")
    func interrupted() throws {
        let place = try Workplace()
        let child = try Child(
            [Built.control, "demo", "--daemon", Built.daemon, "--pace", "5"], in: place,
            name: "demo")
        let isUnderWay = eventually(within: 60) {
            child.standardOutput.contains("To follow it") ? true : nil
        }
        #expect(isUnderWay == true)
        child.send(SIGINT)
        #expect(try child.wait() != .exit(0))
        let socket = child.standardOutput.split(separator: "\n").first?.split(separator: " ").last
        try Self.expectNothingLeft(String(try #require(socket)), in: place)
    }

    private static func expectNothingLeft(_ socket: String, in place: Workplace) throws {
        let folder = URL(filePath: socket).deletingLastPathComponent().path
        #expect(!FileManager.default.fileExists(atPath: folder))
        let running = try Child.run(
            ["sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"], in: place)
        #expect(!running.output.contains("--socket \(socket)"))
    }
}
