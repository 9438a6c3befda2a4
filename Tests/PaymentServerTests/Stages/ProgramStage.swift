import Foundation
import PaymentTesting
import StrictJSON
import Testing

/// The real program, in a directory of its own.
final class ProgramStage: Stage {
    private static let turnstile = Turnstile(width: 3)
    private let directory: TemporaryDirectory
    /// The flags that name the journal; none for files.
    private let journal: [String]
    private var program: Program
    private var launches = 1

    private var socket: String { directory.path + "/s" }
    private var log: String { directory.path + "/log" }

    private init(overEtcd: Bool) async throws {
        let directory = try TemporaryDirectory()
        try Self.writeCatalogue(Shop.text(), directory)
        self.directory = directory
        journal = overEtcd ? try Self.journalInEtcd(directory) : []
        program = try Self.launch(directory, journal)
    }

    /// Plays a scenario on a daemon of its own. What it complains of is an issue.
    static func run(_ scenario: Scenario, overEtcd: Bool = false) async throws {
        await turnstile.enter()
        do {
            try await play(scenario, overEtcd)
        } catch {
            await turnstile.leave()
            throw error
        }
        await turnstile.leave()
    }

    private static func play(_ scenario: Scenario, _ overEtcd: Bool) async throws {
        let stage = try await ProgramStage(overEtcd: overEtcd)
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
                let peer = try Peer(path: socket)
                guard ownsQueue else { throw Unexpected("the daemon does not own the queue") }
                return Client(SocketWire(peer))
            } catch {
                guard ContinuousClock.now < deadline, program.ending == nil else {
                    throw Unexpected("\(error); it said: \(said)")
                }
                // Nothing says that a path can be connected to but connecting to it.
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    /// Whether the daemon owns its queue. In etcd the lease of a daemon that was killed has to end first.
    private var ownsQueue: Bool {
        journal.isEmpty
            || said.split(separator: "\n").count { $0.contains("this node owns the queue") }
                >= launches
    }

    func restart(germanPrice: String?) async throws {
        _ = try await client()
        let ending = await program.end(by: SIGTERM)
        #expect(ending == .exit(0), "stopped; it said: \(said)")
        if let germanPrice {
            try Self.writeCatalogue(Shop.text(germanPrice: germanPrice), directory)
        }
        try launchAgain()
    }

    func kill() async throws {
        let ending = await program.end(by: SIGKILL)
        #expect(ending == .signal(SIGKILL))
        try launchAgain()
    }

    private func launchAgain() throws {
        launches += 1
        program = try Self.launch(directory, journal)
    }

    private static func journalInEtcd(_ directory: TemporaryDirectory) throws -> [String] {
        let configuration = directory.path + "/configuration"
        try #"{"cluster":{"leaseSeconds":3}}"#.write(
            toFile: configuration, atomically: false, encoding: .utf8)
        let member = try EtcdServer.shared.get().member
        return ["--journal", "etcd://\(member)/\(UUID().uuidString)", "--config", configuration]
    }

    private static func writeCatalogue(_ text: String, _ place: TemporaryDirectory) throws {
        try text.write(
            toFile: place.path + "/catalogue.json", atomically: false, encoding: .utf8)
    }

    private static func launch(
        _ directory: TemporaryDirectory, _ journal: [String]
    ) throws -> Program {
        let path = directory.path
        return try Program(
            arguments: [
                "--socket", path + "/s", "--state-directory", path + "/state",
                "--catalog", path + "/catalogue.json", "--log-format", "json",
            ] + journal, log: path + "/log")
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
