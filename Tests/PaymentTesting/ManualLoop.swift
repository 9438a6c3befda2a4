public import PaymentEngine
import Synchronization

/// An engine's loop that runs when a test says so, on a clock that stands still meanwhile.
///
/// Work runs in the order of handing over, as the real loop promises. Timers run in the order of
/// their times; those of the same time run in the order of scheduling, or, with a generator, in any.
///
/// Proof: a test makes the loop and everything on it, and runs all work on its own thread. Work may be
/// handed over on other threads, as a sleeping task does; a lock guards what waits.
public final class ManualLoop: EngineLoop, @unchecked Sendable {
    /// The time of the clock.
    public var now: Duration {
        lock.withLock { _ in
            time += lookTakes
            return time
        }
    }
    /// The time that each reading of the clock takes.
    public var lookTakes = Duration.zero
    /// How many pieces of work have run.
    public private(set) var workCount = 0

    /// The most pieces of work that ran without a look at the sockets, which a real loop takes before work
    /// that was handed over by ``executeAfterInput(_:)``.
    public var mostWithoutInput = 0

    private var time = Duration.zero
    private var sinceInput = 0
    private var ready: [@Sendable () -> Void] = []
    private var first = 0
    private var timers: [ManualTimer] = []
    private var nextOrder: UInt64 = 0
    private var dice: SeededGenerator?
    private var isStopped = false
    private let lock = Mutex(())

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
        lock.withLock { _ in
            if !isStopped { ready.append(body) }
        }
    }

    /// Keeps work for ``runOne()``, as work behind a look at the sockets.
    public func executeAfterInput(_ body: @escaping @Sendable () -> Void) {
        execute { [weak self] in
            self?.sinceInput = 0
            body()
        }
    }

    /// Keeps work until the clock has moved on.
    public func schedule(
        after delay: Duration, _ body: @escaping @Sendable () -> Void
    ) -> any EngineTimer {
        lock.withLock { _ in
            nextOrder += 1
            let timer = ManualTimer(due: time + delay, order: nextOrder, loop: self, body: body)
            if !isStopped { timers.append(timer) }
            return timer
        }
    }

    /// Does nothing: there is one thread.
    public func preconditionOnLoop() {}

    /// Runs the piece of work that was handed over first.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public func runOne() -> Bool {
        guard let body = takeReady() else { return false }
        workCount += 1
        body()
        sinceInput += 1
        mostWithoutInput = max(mostWithoutInput, sinceInput)
        return true
    }

    private func takeReady() -> (@Sendable () -> Void)? {
        lock.withLock { _ in
            guard first < ready.count else { return nil }
            let body = ready[first]
            first += 1
            if first == ready.count {
                ready.removeAll(keepingCapacity: true)
                first = 0
            }
            return body
        }
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
            remove(timer)
            lock.withLock { _ in time = max(time, timer.due) }
            timer.takeBody()?()
            runUntilIdle()
        }
        lock.withLock { _ in time = max(time, end) }
    }

    /// Forgets all work, as the end of a process does; nothing runs on this loop any more.
    public func stop() {
        let stopped = lock.withLock { _ in
            isStopped = true
            ready = []
            first = 0
            defer { timers = [] }
            return timers
        }
        for timer in stopped { _ = timer.takeBody() }
    }

    fileprivate func remove(_ timer: ManualTimer) {
        lock.withLock { _ in timers.removeAll { $0 === timer } }
    }

    private func nextTimer() -> ManualTimer? {
        let timers = lock.withLock { _ in self.timers }
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
