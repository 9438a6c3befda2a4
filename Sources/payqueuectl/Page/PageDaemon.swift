import PaymentClient
import StrictJSON

/// The daemon as the page sees it: one connection for all calls, made again when it broke.
actor PageDaemon {
    /// The name of this program in `observers`, and in the records that its calls cause.
    static let client = "payqueuectl page"

    /// The daemon's socket.
    nonisolated let path: String

    private static let patience = Duration.seconds(30)

    private var daemon: PaymentConnection?

    init(path: String) {
        self.path = path
    }

    /// Connects and says who calls.
    static func connect(to path: String) async throws -> PaymentConnection {
        let made = try await PaymentConnection.connect(to: path, timeout: .seconds(2))
        try await made.introduce(as: client)
        return made
    }

    /// Calls a method and returns the daemon's whole answer, whatever it says.
    ///
    /// - Throws: `ConnectionFailure`; the next call connects again.
    func answer(to method: String, _ params: JSONValue?) async throws -> String {
        let current = try await connected()
        do {
            return try await current.reply(to: method, params, timeout: Self.patience).line
        } catch {
            // A call that only took too long leaves the connection as it was.
            let isOver = (error as? ConnectionFailure)?.kind != .timedOut
            if isOver, daemon === current { daemon = nil }
            throw error
        }
    }

    private func connected() async throws -> PaymentConnection {
        if let daemon { return daemon }
        let made = try await Self.connect(to: path)
        // Two calls may connect at once; one of the connections is closed when its call is answered.
        daemon = daemon ?? made
        return daemon ?? made
    }
}
