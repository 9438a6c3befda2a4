public import PaymentEngine

/// An engine's loop that runs when a test says so, on a clock that stands still meanwhile.
///
/// Work runs in the order of handing over, as the real loop promises. Timers run in the order of
/// their times; those of the same time run in the order of scheduling, or, with a generator, in any.
///
/// Proof: a test makes the loop and everything on it, and uses all of it on its own thread.
public final class ManualLoop: EngineLoop, @unchecked Sendable {
    /// The time of the clock.
    public private(set) var now = Duration.zero
    /// How many pieces of work have run.
    public private(set) var workCount = 0

    private var ready: [@Sendable () -> Void] = []
    private var first = 0
    private var timers: [ManualTimer] = []
    private var nextOrder: UInt64 = 0
    private var dice: SeededGenerator?
    private var isStopped = false

    /// Creates a loop with nothing to do.
    ///
    /// - Parameter dice: Decide between timers of the same time, if given.
    public init(dice: SeededGenerator? = nil) {
        self.dice = dice
    }

    /// How many pieces of work could run now.
    public var readyCount: Int { ready.count - first }

    /// How many timers are set.
    public var timerCount: Int { timers.count }

    /// Keeps work for ``runOne()``.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        guard !isStopped else { return }
        ready.append(body)
    }

    /// Keeps work until the clock has moved on.
    public func schedule(
        after delay: Duration, _ body: @escaping @Sendable () -> Void
    ) -> any EngineTimer {
        nextOrder += 1
        let timer = ManualTimer(due: now + delay, order: nextOrder, loop: self, body: body)
        if !isStopped { timers.append(timer) }
        return timer
    }

    /// Does nothing: there is one thread.
    public func preconditionOnLoop() {}

    /// Runs the piece of work that was handed over first.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public func runOne() -> Bool {
        guard first < ready.count else { return false }
        let body = ready[first]
        first += 1
        if first == ready.count {
            ready.removeAll(keepingCapacity: true)
            first = 0
        }
        workCount += 1
        body()
        return true
    }

    /// Runs work until none is ready; traps when there is no end to it.
    public func runUntilIdle(limit: Int = 1_000_000) {
        var count = 0
        while runOne() {
            count += 1
            precondition(count < limit, "the loop does not come to rest")
        }
    }

    /// Runs what is ready, then moves the clock on and runs what falls due on the way.
    public func advance(by duration: Duration) {
        let end = now + duration
        runUntilIdle()
        while let timer = nextTimer(), timer.due <= end {
            timers.removeAll { $0 === timer }
            now = max(now, timer.due)
            timer.takeBody()?()
            runUntilIdle()
        }
        now = end
    }

    /// Forgets all work, as the end of a process does; nothing runs on this loop any more.
    public func stop() {
        isStopped = true
        ready = []
        first = 0
        for timer in timers { _ = timer.takeBody() }
        timers = []
    }

    fileprivate func remove(_ timer: ManualTimer) {
        timers.removeAll { $0 === timer }
    }

    private func nextTimer() -> ManualTimer? {
        guard let due = timers.map(\.due).min() else { return nil }
        let candidates = timers.filter { $0.due == due }
        return dice?.pick(candidates) ?? candidates.min { $0.order < $1.order }
    }
}

/// A timer of a ``ManualLoop``.
///
/// Proof: see ``ManualLoop``; it never leaves the loop's thread.
private final class ManualTimer: EngineTimer, @unchecked Sendable {
    let due: Duration
    let order: UInt64
    private var body: (@Sendable () -> Void)?
    private weak let loop: ManualLoop?

    init(due: Duration, order: UInt64, loop: ManualLoop, body: @escaping @Sendable () -> Void) {
        self.due = due
        self.order = order
        self.loop = loop
        self.body = body
    }

    /// What to do, once: who keeps the timer longer does not keep what the work holds.
    func takeBody() -> (@Sendable () -> Void)? {
        defer { body = nil }
        return body
    }

    func cancel() {
        _ = takeBody()
        loop?.remove(self)
    }
}
