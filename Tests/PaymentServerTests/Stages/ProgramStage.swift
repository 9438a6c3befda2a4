import Foundation
import PaymentTesting
import StrictJSON
import Testing

/// The real program, in a directory of its own.
final class ProgramStage: Stage {
    private static let turnstile = Turnstile(width: 3)
    private let directory: TemporaryDirectory
    private var program: Program

    private var socket: String { directory.path + "/s" }
    private var log: String { directory.path + "/log" }

    private init() async throws {
        let directory = try TemporaryDirectory()
        try Self.writeCatalogue(Shop.text(), directory)
        self.directory = directory
        program = try Self.launch(directory)
    }

    /// Plays a scenario on a daemon of its own. What it complains of is an issue.
    static func run(_ scenario: Scenario) async throws {
        await turnstile.enter()
        do {
            try await play(scenario)
        } catch {
            await turnstile.leave()
            throw error
        }
        await turnstile.leave()
    }

    private static func play(_ scenario: Scenario) async throws {
        let stage = try await ProgramStage()
        do {
            try await scenario.play(stage)
        } catch {
            _ = await stage.program.end(by: SIGKILL)
            throw error
        }
        // Only a daemon that serves knows what a request to stop means.
        _ = try await stage.client()
        let ending = await stage.program.end(by: SIGTERM)
        #expect(ending == .exit(0), "stopped; it said: \(stage.said)")
        stage.inspectLog()
    }

    func client() async throws -> Client {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            do {
                return Client(SocketWire(try Peer(path: socket)))
            } catch {
                guard ContinuousClock.now < deadline, program.ending == nil else {
                    throw Unexpected("\(error); it said: \(said)")
                }
                // Nothing says that a path can be connected to but connecting to it.
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    func restart(germanPrice: String?) async throws {
        _ = try await client()
        let ending = await program.end(by: SIGTERM)
        #expect(ending == .exit(0), "stopped; it said: \(said)")
        if let germanPrice {
            try Self.writeCatalogue(Shop.text(germanPrice: germanPrice), directory)
        }
        program = try Self.launch(directory)
    }

    func kill() async throws {
        let ending = await program.end(by: SIGKILL)
        #expect(ending == .signal(SIGKILL))
        program = try Self.launch(directory)
    }

    private static func writeCatalogue(_ text: String, _ place: TemporaryDirectory) throws {
        try text.write(
            toFile: place.path + "/catalogue.json", atomically: false, encoding: .utf8)
    }

    private static func launch(_ directory: TemporaryDirectory) throws -> Program {
        let path = directory.path
        return try Program(
            arguments: [
                "--socket", path + "/s", "--state-directory", path + "/state",
                "--catalog", path + "/catalogue.json", "--log-format", "json",
            ], log: path + "/log")
    }

    private var said: String {
        (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    }

    private func inspectLog() {
        for line in said.split(separator: "\n") {
            let level = (try? JSONValue(parsing: String(line)))?["level"]?.stringValue
            let isBad = level == nil || level == "error" || level == "critical"
            if isBad { Issue.record("the daemon complained: \(line)") }
        }
    }
}
