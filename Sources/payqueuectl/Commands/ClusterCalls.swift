import ArgumentParser
import PaymentClient
import StrictJSON

/// Shows the nodes that share the queue.
struct ClusterStatusCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the nodes, and who owns the queue.",
        usage: "payqueuectl cluster status")

    @OptionGroup var options: AnswerOptions

    var method: String { "cluster" }
    var action: String { "show the nodes" }

    func lines(_ answer: JSONValue) -> [String] { ClusterText.lines(answer) }
}

/// Gives the queue to another node.
struct HandOverCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "handover", abstract: "Have another node own the queue.",
        usage: "payqueuectl cluster handover",
        discussion: """
            Works at every node that reaches the owner. The owner commits what it has taken, and another node that is up owns \
            the queue a moment later. The program of the former owner starts again; use this before \
            maintenance, and for an upgrade: install the new version before.
            """)

    @OptionGroup var options: AnswerOptions

    var action: String { "hand the queue over" }

    func run() async throws {
        try options.checkFilter(of: "cluster")
        let end = ContinuousClock.now + options.timeout.duration
        let former = try await options.withDaemon { daemon in
            let former = try await daemon.call("cluster", timeout: options.timeout.duration)
            do {
                _ = try await daemon.call("handover", timeout: options.timeout.duration)
            } catch  where Self.isUnknown(error) {
                // The connection to the owner has ended, perhaps because it gives the queue away.
            }
            return former
        }
        let term = former["term"]?.intValue ?? 0
        while true {
            // The call may fail while this node starts again.
            let now = try? await options.withDaemon { daemon in
                try await daemon.call("cluster", timeout: options.timeout.duration)
            }
            if let now, Self.isOwned(now, since: term) {
                guard now["owner"] != former["owner"] else {
                    throw CommandFailure(
                        .refused, "no other node took the queue over; the same one owns it again",
                        advice: "see the nodes with 'payqueuectl cluster status'")
                }
                return options.show(now, ClusterText.lines)
            }
            guard ContinuousClock.now < end else {
                throw CommandFailure(
                    .timeRanOut, "no other node has owned the queue in time",
                    advice: "see who owns it with 'payqueuectl cluster status'")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Whether the owner of the queue has a later term than `term`. If the answering node is the
    /// owner, it must also serve the queue.
    private static func isOwned(_ state: JSONValue, since term: Int64) -> Bool {
        guard let owner = state["owner"], let next = state["term"]?.intValue, next > term else {
            return false
        }
        return owner != state["node"] || state["role"]?.stringValue == "owner"
    }

    /// Whether a call may have been executed although it failed.
    private static func isUnknown(_ error: any Error) -> Bool {
        if let failure = error as? ConnectionFailure { return failure.kind == .lost }
        return (error as? RPCError)?.effect == .unknown
    }
}
