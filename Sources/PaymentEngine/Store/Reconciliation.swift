import PaymentCore

/// A run through the store's pages of paid and uncompleted purchases. At most one is in progress.
struct Reconciliation {
    /// Called with nil or the failure when one run has ended.
    typealias Listener = @Sendable (StoreFailure?) -> Void
    /// Called when a run has succeeded, or the session has ended.
    typealias Caller = @Sendable () -> Void

    /// One run.
    struct Run {
        let number: UInt64
        let account: AccountName
        fileprivate var pages = 0
        fileprivate var revoked: [RevokedOrder] = []
        /// Whether a purchase found no room on the disk.
        var isShort = false
        let listeners: [Listener]
        let callers: [Caller]
    }

    /// The run that is under way.
    private(set) var run: Run?
    private var runs: UInt64 = 0
    /// Whether a run was wanted while another one was under way, and has not begun.
    private(set) var isWantedAgain = false
    private var listeners: [Listener] = []
    private var callers: [Caller] = []
    /// The number of failed runs since the last success.
    private(set) var failures = 0

    /// The maximum number of pages of one list. A store that names more returns the same pages
    /// again and again.
    static let pagesPerAnswer = 10_000

    /// Adds a caller for the next run that ends well.
    mutating func add(caller: @escaping Caller) {
        callers.append(caller)
    }

    /// Adds a listener for the next run.
    mutating func add(listener: @escaping Listener) {
        listeners.append(listener)
    }

    /// Begins a run for the account in session. If one is under way, another one follows it.
    ///
    /// - Returns: The number of the run; nil if it begins after the current one.
    mutating func begin(for account: AccountName) -> UInt64? {
        guard run == nil else {
            isWantedAgain = true
            return nil
        }
        isWantedAgain = false
        runs += 1
        run = Run(number: runs, account: account, listeners: listeners, callers: callers)
        (listeners, callers) = ([], [])
        return runs
    }

    /// Ends the run of an account that is no longer in session. Its answers are ignored.
    ///
    /// - Parameter account: The account in session.
    /// - Returns: The callers to notify; without a session those of the next run as well.
    mutating func abandon(unless account: AccountName?) -> [Caller] {
        var void: [Caller] = []
        if let run, run.account != account {
            void = run.callers
            self.run = nil
            failures = 0
        }
        guard account == nil else { return void }
        void += callers
        (listeners, callers) = ([], [])
        return void
    }

    /// Whether a run is under way for the account in session.
    func isRunning(_ number: UInt64, for account: AccountName?) -> Bool {
        run?.number == number && run?.account == account
    }

    /// Takes the revoked orders of a page.
    mutating func received(_ revoked: [RevokedOrder]) {
        run?.pages += 1
        run?.revoked += revoked
    }

    /// Whether the store has returned more pages than a list can have.
    var isEndless: Bool { (run?.pages ?? 0) >= Self.pagesPerAnswer }

    /// Notes that a purchase found no room.
    mutating func foundNoRoom() {
        run?.isShort = true
    }

    /// Takes the revoked orders that are not announced yet, if there are at least `count`.
    mutating func takeRevoked(atLeast count: Int) -> [RevokedOrder] {
        guard let run, run.revoked.count >= max(1, count) else { return [] }
        self.run?.revoked = []
        return run.revoked
    }

    /// Ends the run with success.
    ///
    /// - Returns: The run; nil if none was under way.
    mutating func end() -> Run? {
        defer { run = nil }
        failures = 0
        return run
    }

    /// Ends the run with a failure. Its callers wait for the next run.
    ///
    /// - Returns: The delay before the next run, and the listeners to notify; nil if no run was in
    ///   progress.
    mutating func fail() -> (delay: Duration, listeners: [Listener])? {
        guard let run else { return nil }
        self.run = nil
        callers = run.callers + callers
        defer { failures += 1 }
        return (Backoff.delay(after: failures), run.listeners)
    }
}
