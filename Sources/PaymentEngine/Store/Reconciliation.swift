import PaymentCore

/// The walk through the store's pages of paid and uncompleted purchases. One runs at a time.
struct Reconciliation {
    /// Called with nil or the failure when one run has ended.
    typealias Listener = @Sendable (StoreFailure?) -> Void
    /// Called when a run has ended well, or the session is over.
    typealias Caller = @Sendable () -> Void

    /// One walk.
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
    /// Failed runs since the last that ended well.
    private(set) var failures = 0

    /// Most pages of one answer; a store that has more names pages in a circle.
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
    /// - Returns: The number of the run; nil if it is to follow.
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

    /// Ends a run of an account that is not in session any more: what it asked is void.
    ///
    /// - Parameter account: The account in session.
    /// - Returns: The callers to be told; without a session those of the next run as well.
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

    /// Whether the store has named more pages than any list has.
    var isEndless: Bool { (run?.pages ?? 0) >= Self.pagesPerAnswer }

    /// Notes that a purchase found no room.
    mutating func foundNoRoom() {
        run?.isShort = true
    }

    /// Takes the revoked orders that are not announced yet, if there are at least so many.
    mutating func takeRevoked(atLeast count: Int) -> [RevokedOrder] {
        guard let run, run.revoked.count >= max(1, count) else { return [] }
        self.run?.revoked = []
        return run.revoked
    }

    /// Ends the run well.
    ///
    /// - Returns: The run; nil if none was under way.
    mutating func end() -> Run? {
        defer { run = nil }
        failures = 0
        return run
    }

    /// Ends the run badly. Its callers wait for the next one.
    ///
    /// - Returns: When to begin the next, and the listeners to be told.
    mutating func fail() -> (delay: Duration, listeners: [Listener])? {
        guard let run else { return nil }
        self.run = nil
        callers = run.callers + callers
        defer { failures += 1 }
        return (Backoff.delay(after: failures), run.listeners)
    }
}
