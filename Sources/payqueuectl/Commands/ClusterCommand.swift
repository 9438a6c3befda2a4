import ArgumentParser
import PaymentStorage
import StrictJSON

/// Works with a queue that several nodes share.
struct ClusterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster", abstract: "Look after a queue that several nodes share.",
        usage: """
            payqueuectl cluster status
            payqueuectl cluster import payqueued --state-directory /var/lib/payqueued
            """,
        subcommands: [
            ClusterStatusCommand.self, HandOverCommand.self, ImportClusterCommand.self,
            ExportClusterCommand.self,
        ])
}

/// Marks a state directory, so that the next start puts its queue into a cluster without a queue.
struct ImportClusterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Have the next start put a queue into a cluster.",
        usage: "payqueuectl cluster import payqueued --state-directory /var/lib/payqueued",
        discussion: """
            For the queue of a single node, and for the copy that has the most when etcd has lost \
            everything. The daemon must be stopped. If the prefix has a queue already, the next \
            start compares the two, and never replaces it.
            """)

    @Argument(
        help: ArgumentHelp(
            "The end of the address in '--journal etcd://HOST:PORT/PREFIX'.", valueName: "prefix"))
    var prefix: String

    @OptionGroup var output: OutputOptions
    @OptionGroup var place: StatePlace

    func run() throws {
        guard let prefix = ClusterMembership.prefix(of: prefix) else {
            throw CommandFailure(
                .usage,
                "cannot import into '\(prefix)': expected 1 to 256 characters without spaces",
                advice: "name the end of the address in '--journal etcd://HOST:PORT/PREFIX'")
        }
        let path = try place.path()
        try ClusterPlace.change(path) { state throws(StorageError) in
            try ClusterMembership(prefix: prefix, mayImport: true).write(to: state)
        }
        let result: JSONValue = ["prefix": .string(prefix), "stateDirectory": .string(path)]
        output.show(result) { _ in
            [
                "the next start of '\(path)' puts its queue into the cluster",
                "next: payqueued --journal etcd://HOST:PORT/\(prefix) --state-directory "
                    + Shell.quoted(path),
            ]
        }
    }
}

/// Turns the copy of a node into an independent queue.
struct ExportClusterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Make the copy of a node a queue of its own.",
        usage: "payqueuectl cluster export --state-directory /var/lib/payqueued",
        discussion: """
            Stop all nodes first, the owner last: its copy has everything. If another node continues, \
            two queues exist from then on, and both sell.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var place: StatePlace

    func run() throws {
        let path = try place.path()
        try ClusterPlace.change(path) { state throws(StorageError) in
            guard try ClusterMembership(of: state.disk) != nil else {
                throw .unsuitable("'\(path)' belongs to no cluster")
            }
            try ClusterMembership.remove(from: state)
        }
        output.show(["stateDirectory": .string(path)]) { _ in
            [
                "'\(path)' belongs to no cluster any more",
                "next: payqueued --state-directory \(Shell.quoted(path))",
            ]
        }
    }
}

/// A state directory with a queue that no daemon uses.
private enum ClusterPlace {
    static func change(
        _ path: String, _ change: (StateDirectory) throws(StorageError) -> Void
    ) throws {
        // A path that does not exist is not created.
        _ = try StatePlace.disk(path)
        do throws(StorageError) {
            let state = try StateDirectory(
                path: path, identity: .current(program: "payqueuectl"),
                started: StorageEnvironment.system.now())
            defer { state.release() }
            guard try state.hasQueue() else { throw .unsuitable("'\(path)' has no queue") }
            try change(state)
        } catch {
            throw CommandFailure(
                .refused, "cannot change '\(path)': \(error)",
                advice:
                    "name the state directory of a daemon that is stopped with --state-directory")
        }
    }
}
