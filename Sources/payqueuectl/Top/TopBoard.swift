import PaymentClient
import Synchronization

/// The state of the live view: one task stores the daemon's answers here, the other draws them.
final class TopBoard: Sendable {
    /// The state at a moment.
    struct State: Sendable {
        /// The newest sample.
        var sample: TopSample
        /// How fast things moved between the last two looks, if there were two.
        var rates: TopSample.Rates?
        /// Why there was no newer look; nil if there was.
        var trouble: String?
        var isPaused = false
        /// How many rows the screen has.
        var rows = 500
        /// Grows with every change that shows.
        var version = 0
    }

    private let state: Mutex<State>

    init(_ sample: TopSample) {
        state = Mutex(State(sample: sample))
    }

    /// The state now.
    var now: State { state.withLock { $0 } }

    /// The daemon answered.
    func looked(_ sample: TopSample) {
        state.withLock { state in
            state.rates = state.trouble == nil ? sample.rates(since: state.sample) : nil
            state.sample = sample
            state.trouble = nil
            state.version += 1
        }
    }

    /// The daemon did not answer; what is known stays.
    func failed(_ reason: String) {
        state.withLock { state in
            guard state.trouble != reason else { return }
            state.rates = nil
            state.trouble = reason
            state.version += 1
        }
    }

    /// Stops or resumes the updates.
    func togglePause() {
        state.withLock { state in
            state.isPaused.toggle()
            state.version += 1
        }
    }

    /// The screen has another size.
    func rowsChanged(to rows: Int) {
        state.withLock { $0.rows = rows }
    }
}

/// Looks at the daemon again and again, over its restarts, and notes what it sees.
struct TopLooker: Sendable {
    /// How long to wait for an answer.
    static let patience = Duration.seconds(5)

    let path: String
    let interval: Duration
    let board: TopBoard

    /// Looks until it is cancelled.
    ///
    /// - Parameter first: A connection that is there already.
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
