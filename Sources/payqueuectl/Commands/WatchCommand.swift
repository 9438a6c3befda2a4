import ArgumentParser
import PaymentAPI
import PaymentClient
import PaymentCore
import StrictJSON

/// Shows the events of the queue.
struct WatchCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show the events of the queue as they happen.",
        usage: """
            payqueuectl watch --cursor ~/.payqueue-cursor
            payqueuectl watch [--after <position>] [--observe] [--finish] [--json]
            """,
        discussion: """
            Starts with all unfinished transactions unless a position is given. Watching is \
            passive: purchases wait for an observer unless --observe or --finish is given.
            """)

    @Option(
        help: ArgumentHelp(
            "Start after this record, at 'start' or 'now'.", valueName: "position"))
    var after: String?

    @Option(help: ArgumentHelp("The epoch that the position belongs to.", valueName: "epoch"))
    var epoch: String?

    @Option(
        help: ArgumentHelp(
            "Resume at the position in this file, and update it.", valueName: "file"),
        completion: .file())
    var cursor: String?

    @Option(
        help: ArgumentHelp("Let the daemon keep the position under this name.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp("Only events of this kind.", valueName: "kind"),
        completion: .list(EventKind.words))
    var kind: [String] = []

    @Option(
        help: ArgumentHelp("Only this product.", valueName: "product"), completion: .products)
    var product: [String] = []

    @Flag(help: "Observe: waiting purchases go to the store.")
    var observe = false

    @Flag(help: "Observe, and finish all settled transactions (for demos).")
    var finish = false

    @Flag(help: "Reconnect when the daemon goes away.")
    var reconnect = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    var action: String { "watch the queue" }

    /// Finishing requires an observer, because only an observer releases purchases to the store.
    private var isObserving: Bool { observe || finish }

    func validate() throws {
        if cursor != nil, after != nil || epoch != nil || name != nil {
            throw ValidationError("--cursor cannot be combined with --after, --epoch or --name.")
        }
        // An enumeration type would make the help text too long.
        if let unknown = kind.first(where: { !EventKind.words.contains($0) }) {
            let near = NearestName.find(unknown, in: EventKind.words)
            throw ValidationError(
                "There is no kind of event '\(unknown)'"
                    + (near.map { "; the nearest is '\($0)'." }
                        ?? "; there are '\(EventKind.words.joined(separator: "', '"))'."))
        }
        guard let after, after != "start", after != "now" else { return }
        guard let position = Int64(after), position >= 0 else {
            throw ValidationError("--after takes a number, 'start' or 'now', not '\(after)'.")
        }
    }

    func run() async throws {
        let file = cursor.map(CursorFile.init)
        let start = try file?.load()
        try await greet()
        let steps = ResumingNotifications(
            path: connection.path, parameters: parameters, start: start,
            client: OwnProgram.name)
        var reader = WatchReader(
            file: file, name: name, isFinishing: finish, path: connection.path)
        for try await step in steps {
            switch step {
            case .opened(let answer): opened(answer, &reader)
            case .notification(let notification, let cursor):
                show(notification)
                try await reader.handled(notification, cursor)
                if notification.method == "ended", !reconnect {
                    throw ended(notification, reader)
                }
            case .restarted(let error):
                guard reconnect || cursor != nil else { throw error }
                Console.remark(
                    "payqueuectl: \(ErrorText.sentence(for: error, action: "resume there")); "
                        + "unfinished transactions follow.")
            case .lost(let failure):
                guard reconnect else { throw lost(failure, reader) }
                Console.remark("payqueuectl: \(failure.description); connecting again.")
            }
        }
    }

    /// Checks quickly whether a daemon answers. The subscription itself retries, and waits for an
    /// unresponsive daemon much longer than a user expects.
    private func greet() async throws {
        try await PaymentConnection.withConnection(to: connection.path) { daemon in
            try await daemon.introduce(
                as: OwnProgram.name, timeout: Patience.first(TopLooker.patience))
            try await ProductNames.check(
                product, on: daemon, timeout: TopLooker.patience, action: action)
        }
    }

    private var parameters: [JSONMember] {
        let position: JSONValue? = after.map { Int64($0) == nil ? .string($0) : .number($0) }
        return JSONValue.parameters([
            ("after", position), ("epoch", epoch.map(JSONValue.string)),
            ("name", name.map(JSONValue.string)), ("kinds", .texts(kind)),
            ("products", .texts(product)), ("passive", isObserving ? nil : .bool(true)),
        ])?.members ?? []
    }

    private func opened(_ answer: JSONValue, _ reader: inout WatchReader) {
        reader.opened(answer)
        guard !output.json, Console.isTerminal else { return }
        let manner = isObserving ? "as an observer" : "passively"
        Console.remark("Watching \(connection.path) \(manner); Ctrl-C stops it.")
    }

    private func show(_ notification: ServerNotification) {
        if output.json {
            Console.line(notification.line)
        } else {
            EventText.lines(method: notification.method, params: notification.params)
                .forEach(Console.foldedLine)
        }
    }

    private func ended(_ notification: ServerNotification, _ reader: WatchReader) -> CommandFailure
    {
        let reason =
            notification.params["reason"]?.stringValue.map(Wording.of)
            ?? "no reason given"
        return CommandFailure(
            .cursorUnusable,
            "cannot continue: the daemon ended the subscription at record "
                + "\(reader.last.sequence): \(reason)",
            advice: "start again with 'payqueuectl watch\(connection.suggestion)'")
    }

    private func lost(_ failure: ConnectionFailure, _ reader: WatchReader) -> CommandFailure {
        var words = ["payqueuectl watch"]
        if let cursor {
            words.append("--cursor \(Shell.quoted(cursor))")
        } else if let name {
            words.append("--name \(Shell.quoted(name))")
        } else {
            words.append("--after \(reader.last.sequence) --epoch \(reader.last.epoch)")
        }
        if observe { words.append("--observe") }
        if finish { words.append("--finish") }
        let command = words.joined(separator: " ") + connection.suggestion
        let sentence =
            failure.kind == .lost
            ? "the connection to '\(connection.path)' has ended" : failure.description
        return CommandFailure(
            .noConnection, sentence, advice: "resume later with '\(command)'",
            kind: Complaint.word(failure.kind))
    }
}
