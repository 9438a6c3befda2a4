import ArgumentParser
import FoundationEssentials
import PaymentClient
import StrictJSON

/// Diagnoses why purchases do not succeed.
struct DoctorCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find out why purchases do not go through.",
        usage: """
            payqueuectl doctor
            payqueuectl doctor [--socket <path>] [--state-directory <directory>]
            """,
        discussion: """
            Checks the socket and its permissions, the lock, the disk, the clock, the session, \
            the store and the catalogue, and shows how to fix each problem. Changes nothing.

            Exit status: 0 no problems, 1 problems found, 2 no connection.
            """)

    @OptionGroup var output: OutputOptions

    @Option(help: ArgumentHelp("How long to wait for an answer.", valueName: "seconds"))
    var timeout = Seconds(5)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var place: StatePlace

    var action: String { "check the daemon at '\(connection.path)'" }
    var afterLoss: String { "see why it went away with 'journalctl -u payqueued -n 20'" }

    func run() async throws {
        let answers: DaemonAnswers
        do {
            answers = try await DaemonAnswers.ask(connection.path, timeout: timeout.duration)
        } catch let failure as ConnectionFailure where failure.kind == .notConnected {
            return try unreachable()
        } catch let failure as ConnectionFailure where failure.kind == .timedOut {
            let silence = SocketDiagnosis.silence(
                connection.path, after: timeout.defaultValueDescription)
            return try conclude(
                [silence] + stateFindings(isAnswered: false), otherwise: .refused)
        }
        try conclude(
            [Finding(.good, "payqueued answers at '\(connection.path)'")]
                + Diagnosis.findings(answers, now: Date(), connection: connection.suggestion)
                + stateFindings(isAnswered: true), otherwise: .refused)
    }

    /// Reports the socket and the state directory when no daemon answers.
    private func unreachable() throws {
        let socket = SocketDiagnosis.finding(SocketFacts.gather(connection.path))
        try conclude([socket] + stateFindings(isAnswered: false), otherwise: .noConnection)
    }

    /// The findings about the state directory. The default directory is reported only if it exists.
    private func stateFindings(isAnswered: Bool) -> [Finding] {
        guard let path = try? place.path() else { return [] }
        guard let facts = StateFacts.gather(path) else {
            guard place.stateDirectory != nil else { return [] }
            return [
                Finding(
                    .notable, "'\(path)' does not exist, or this user may not read it",
                    advice: "run this as the daemon's user or as root")
            ]
        }
        // The daemon that answers may use another directory than the default one.
        if isAnswered, facts.holder == nil, place.stateDirectory == nil { return [] }
        return StateDiagnosis.findings(facts, socket: connection.path, isAnswered: isAnswered)
    }

    private func conclude(_ findings: [Finding], otherwise status: ExitStatus) throws {
        let problems = findings.count { $0.level == .bad }
        let result: JSONValue = [
            "healthy": .bool(problems == 0), "findings": .array(findings.map(\.json)),
        ]
        output.show(result) { _ in findings.map(\.line) }
        guard problems == 0 else {
            throw CommandFailure(
                status,
                "cannot report the daemon as healthy: \(Wording.count(problems, "problem")) found",
                advice: "see the lines marked 'bad'", kind: "problemsFound",
                data: ["problems": .integer(problems)])
        }
    }
}

/// The daemon's answers about its state.
struct DaemonAnswers {
    var hello: JSONValue
    var status: JSONValue
    var observers: JSONValue
    /// The first product of the catalogue; nil if the daemon does not list it.
    var products: JSONValue?

    /// Fetches the answers.
    static func ask(_ path: String, timeout: Duration) async throws -> DaemonAnswers {
        try await PaymentConnection.withConnection(to: path, timeout: timeout) { daemon in
            var answers = DaemonAnswers(
                hello: try await daemon.call("hello", timeout: timeout),
                status: try await daemon.call("status", timeout: timeout),
                observers: try await daemon.call("observers", timeout: timeout))
            do {
                answers.products = try await daemon.call(
                    "products", ["limit": 1], timeout: timeout)
            } catch is RPCError {
                // Not every store lists its products; `status` shows whether the store answers.
            } catch let failure as ConnectionFailure where failure.kind == .timedOut {
                // The daemon has just answered other calls, so it waits for the store.
            }
            return answers
        }
    }
}

/// One finding of a check.
struct Finding: Equatable {
    /// The severity of a finding.
    enum Level: String {
        /// No problem.
        case good
        /// No problem for purchases, but of interest to the user.
        case notable
        /// Prevents purchases now or soon.
        case bad
    }

    let level: Level
    /// The finding, without a full stop.
    let sentence: String
    /// The advice, without a full stop.
    let advice: String?

    init(_ level: Level, _ sentence: String, advice: String? = nil) {
        self.level = level
        self.sentence = sentence
        self.advice = advice
    }

    /// The line for users.
    var line: String {
        let mark =
            switch level {
            case .good: Console.styled("ok  ", .good)
            case .notable: Console.styled("note", .busy)
            case .bad: Console.styled("bad ", .bad)
            }
        // The sentence may contain text of the daemon or of a file.
        return "\(mark)  \(ScreenText.plain(sentence))"
            + (advice.map { "\n      Next: \(ScreenText.plain($0))" } ?? "")
    }

    /// The JSON object for programs.
    var json: JSONValue {
        .parameters([
            ("level", .string(level.rawValue)), ("sentence", .string(sentence)),
            ("advice", advice.map(JSONValue.string)),
        ]) ?? .null
    }
}
