import PaymentClient
import Synchronization

/// The state of the live view: one task stores the daemon's answers here, another draws them.
final class TopBoard: Sendable {
    /// The state at one time.
    struct State: Sendable {
        /// The newest sample.
        var sample: TopSample
        /// The rates between the last two samples; nil with fewer samples.
        var rates: TopSample.Rates?
        /// The reason why there is no newer sample; nil if there is one.
        var trouble: String?
        var isPaused = false
        /// The number of rows of the screen.
        var rows = 500
        /// Increases with every visible change.
        var version = 0
    }

    private let state: Mutex<State>

    init(_ sample: TopSample) {
        state = Mutex(State(sample: sample))
    }

    /// The current state.
    var now: State { state.withLock { $0 } }

    /// Stores a new sample.
    func looked(_ sample: TopSample) {
        state.withLock { state in
            state.rates = state.trouble == nil ? sample.rates(since: state.sample) : nil
            state.sample = sample
            state.trouble = nil
            state.version += 1
        }
    }

    /// Stores the failure of a call; the last sample stays.
    func failed(_ reason: String) {
        state.withLock { state in
            guard state.trouble != reason else { return }
            state.rates = nil
            state.trouble = reason
            state.version += 1
        }
    }

    /// Pauses or resumes the sampling.
    func togglePause() {
        state.withLock { state in
            state.isPaused.toggle()
            state.version += 1
        }
    }

    /// Stores the new size of the screen.
    func rowsChanged(to rows: Int) {
        state.withLock { $0.rows = rows }
    }
}

/// Takes samples of the daemon regularly, also over its restarts.
struct TopLooker: Sendable {
    /// The timeout of an answer.
    static let patience = Duration.seconds(5)

    let path: String
    let interval: Duration
    let board: TopBoard

    /// Takes samples until it is cancelled.
    ///
    /// - Parameter first: An open connection.
    func run(on first: PaymentConnection) async {
        var daemon: PaymentConnection? = first
        while true {
            do {
                try await Task.sleep(for: max(interval, .milliseconds(50)))
                guard !board.now.isPaused else { continue }
                let current = try await connected(daemon)
                daemon = current
                board.looked(
                    try await TopSample.take(
                        current, transactions: board.now.rows, timeout: Self.patience))
            } catch {
                guard !Task.isCancelled else { return }
                daemon = nil
                board.failed(Self.reason(error))
            }
        }
    }

    private func connected(_ daemon: PaymentConnection?) async throws -> PaymentConnection {
        if let daemon { return daemon }
        return try await PaymentConnection.connect(to: path, timeout: .seconds(1))
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let failure as ConnectionFailure: failure.description
        case let error as RPCError:
            ErrorText.sentence(for: error, action: "read the status of the daemon")
        default: "cannot read the status of the daemon: interrupted"
        }
    }
}
