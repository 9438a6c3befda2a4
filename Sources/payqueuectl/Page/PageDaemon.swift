import PaymentClient
import StrictJSON

/// The page's connection to the daemon: one connection for all calls, reopened after it broke.
actor PageDaemon {
    /// The name of this client in `observers` and in records.
    static let client = "payqueuectl page"

    /// The daemon's socket.
    nonisolated let path: String

    private static let patience = Duration.seconds(30)

    private var daemon: PaymentConnection?

    init(path: String) {
        self.path = path
    }

    /// Connects and sends the client name.
    static func connect(to path: String) async throws -> PaymentConnection {
        let made = try await PaymentConnection.connect(to: path, timeout: .seconds(2))
        try await made.introduce(as: client)
        return made
    }

    /// Calls a method and returns the daemon's answer unchanged, errors included.
    ///
    /// - Throws: `ConnectionFailure`; the next call connects again.
    func answer(to method: String, _ params: JSONValue?) async throws -> String {
        let current = try await connected()
        do {
            return try await current.reply(to: method, params, timeout: Self.patience).line
        } catch {
            // A call that only timed out leaves the connection usable.
            let isOver = (error as? ConnectionFailure)?.kind != .timedOut
            if isOver, daemon === current { daemon = nil }
            throw error
        }
    }

    private func connected() async throws -> PaymentConnection {
        if let daemon { return daemon }
        let made = try await Self.connect(to: path)
        // Two calls may connect concurrently; one of the connections closes after its call.
        daemon = daemon ?? made
        return daemon ?? made
    }
}
