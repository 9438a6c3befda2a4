import ArgumentParser
import PaymentClient
import StrictJSON

/// Shows what happens in the queue.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show what happens in the queue, line by line.",
        usage: """
            payqueuectl watch --after start
            payqueuectl watch [--after <position>] [--observe] [--json]
            """,
        discussion: """
            Without --after it begins with everything that is unfinished. Watching is passive: \
            nothing is sent to the store because of it, unless --observe is given.
            """)

    @Option(
        help: ArgumentHelp(
            "Show the records after this one: a number, 'start' or 'now'.", valueName: "position"))
    var after: String?

    @Option(help: ArgumentHelp("The log that the position is of.", valueName: "epoch"))
    var epoch: String?

    @Flag(help: "Count as an observer: waiting purchases are sent to the store.")
    var observe = false

    @Flag(help: "Print each notification as the line of JSON that came.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard let after, after != "start", after != "now" else { return }
        guard let position = Int64(after), position >= 0 else {
            throw ValidationError("--after takes a number, 'start' or 'now', not '\(after)'.")
        }
    }

    func run() async throws {
        let daemon = try await PaymentConnection.connect(to: connection.path)
        let subscription = try await daemon.call("subscribe", subscribeParameters)
        var cursor = Cursor(subscription)
        if !json, Console.isTerminal {
            let manner = observe ? "as an observer" : "passively"
            Console.error("Watching \(connection.path) \(manner); Ctrl-C ends it.")
        }
        do {
            for try await notification in daemon.notifications {
                show(notification)
                cursor.move(past: notification)
                if notification.method == "ended" { throw ended(notification, cursor) }
            }
        } catch let failure as ConnectionFailure {
            throw CommandFailure(
                .noConnection, failure.description, advice: "go on later with '\(resume(cursor))'")
        }
    }

    private var subscribeParameters: JSONValue {
        var members: [JSONMember] = []
        if let after {
            let position: JSONValue = Int64(after) == nil ? .string(after) : .number(after)
            members.append(JSONMember(name: "after", value: position))
        }
        if let epoch { members.append(JSONMember(name: "epoch", value: .string(epoch))) }
        if !observe { members.append(JSONMember(name: "passive", value: .bool(true))) }
        return .object(members)
    }

    private func show(_ notification: ServerNotification) {
        if json {
            Console.line(notification.line)
        } else {
            for line in EventText.lines(method: notification.method, params: notification.params) {
                Console.line(line)
            }
        }
    }

    private func ended(_ notification: ServerNotification, _ cursor: Cursor) -> CommandFailure {
        let reason = notification.params["reason"]?.stringValue ?? "no reason given"
        return CommandFailure(
            .cursorUnusable,
            "the daemon ended the subscription at record \(cursor.last): \(reason)",
            advice: "start again with 'payqueuectl watch\(connection.suggestion)'")
    }

    private func resume(_ cursor: Cursor) -> String {
        "payqueuectl watch --after \(cursor.last) --epoch \(cursor.epoch)"
            + "\(observe ? " --observe" : "")\(connection.suggestion)"
    }

    /// How far the watching has come.
    private struct Cursor {
        private(set) var last: Int64
        let epoch: String

        init(_ subscription: JSONValue) {
            last = subscription["head"]?.intValue ?? 0
            epoch = subscription["epoch"]?.stringValue ?? ""
        }

        mutating func move(past notification: ServerNotification) {
            guard notification.method == "event" || notification.method == "caughtUp" else {
                return
            }
            last = notification.params["seq"]?.intValue ?? last
        }
    }
}
