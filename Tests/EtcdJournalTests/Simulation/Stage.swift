import PaymentTesting

@testable import EtcdJournal

/// Runs everything in a simulated cluster on one thread, in an order and at times that a seed determines. Time
/// passes only while nothing can run.
///
/// Proof: one thread uses the stage and all that is on it.
final class Stage: @unchecked Sendable {
    /// Something that can run now.
    enum Work {
        case job(UnownedJob)
        case call(() -> Void)
    }

    private struct Timer {
        let time: Duration
        let number: Int
        let action: () -> Void
    }

    private(set) var now = Duration.zero
    var random: SeededGenerator
    /// A checksum of all that has run, to compare runs.
    private(set) var trace: UInt64 = 0
    private var ready: [(process: SimulatedProcess, work: Work)] = []
    /// The next one is the last.
    private var timers: [Timer] = []
    private var numbers = 0
    /// The most work at one moment. More means that something spins.
    private static let mostWork = 200_000

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    // MARK: Chance

    /// Whether something happens that does so in some of a thousand cases.
    func chance(_ perMille: Int) -> Bool {
        Int(random.next() % 1000) < perMille
    }

    func draw(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(random.next() % UInt64(range.count))
    }

    func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .microseconds(draw(range.lowerBound * 1000...range.upperBound * 1000))
    }

    // MARK: Work

    func number() -> Int {
        numbers += 1
        return numbers
    }

    func add(_ work: Work, of process: SimulatedProcess) {
        ready.append((process, work))
    }

    /// Does something after a time.
    ///
    /// - Returns: A number for ``cancel(_:)``.
    @discardableResult
    func after(_ delay: Duration, _ action: @escaping () -> Void) -> Int {
        let timer = Timer(time: now + delay, number: number(), action: action)
        var index = timers.count
        while index > 0, timers[index - 1].time <= timer.time { index -= 1 }
        timers.insert(timer, at: index)
        return timer.number
    }

    func cancel(_ number: Int) {
        if let index = timers.lastIndex(where: { $0.number == number }) {
            timers.remove(at: index)
        }
    }

    /// Runs until a time, or until something has come.
    ///
    /// - Returns: False if something spins.
    func run(until end: Duration, unless isDone: () -> Bool = { false }) -> Bool {
        while runReady() {
            guard !isDone() else { return true }
            guard let next = timers.last, next.time <= end else {
                now = max(now, end)
                return true
            }
            timers.removeLast()
            now = max(now, next.time)
            next.action()
        }
        return false
    }

    private func runReady() -> Bool {
        var count = 0
        while !ready.isEmpty {
            count += 1
            guard count < Self.mostWork else { return false }
            let index = ready.count == 1 ? 0 : Int(random.next() % UInt64(ready.count))
            note(UInt64(index))
            ready.swapAt(index, ready.count - 1)
            let (process, work) = ready.removeLast()
            process.run(work)
        }
        return true
    }

    /// Adds something to the checksum of the run.
    func note(_ value: UInt64) {
        let time = UInt64(now.components.attoseconds / 1_000_000_000)
        trace = (trace ^ value ^ time &* 0x9E37_79B9_7F4A_7C15) &* 0x100_0000_01B3
    }
}

/// A process of a node: its tasks, which can be stopped for a time, and forever.
///
/// Proof: as for ``Stage``.
final class SimulatedProcess: TaskExecutor, @unchecked Sendable {
    let stage: Stage
    private(set) var isDead = false
    /// How much faster the clock is than that of etcd, in thousandths.
    var drift = 0
    /// Whether the clock stands while the process is stopped, as some do. It is a planted defect.
    var clockStands = false
    /// The work that waits while the process is stopped.
    private var held: [Stage.Work]?
    private var stoppedAt = Duration.zero
    /// The time for which the process was stopped.
    private var stopped = Duration.zero
    /// How the waits of tasks fail.
    private var waits: [Int: () -> Void] = [:]
    private var tasks: [Task<Void, Never>] = []

    init(_ stage: Stage) {
        self.stage = stage
    }

    func enqueue(_ job: consuming ExecutorJob) {
        add(.job(UnownedJob(job)))
    }

    private func add(_ work: Stage.Work) {
        if held == nil { stage.add(work, of: self) } else { held?.append(work) }
    }

    func run(_ work: Stage.Work) {
        guard held == nil else {
            held?.append(work)
            return
        }
        switch work {
        case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
        case .call(let call): call()
        }
    }

    /// Runs work soon, never inside the caller.
    @Sendable func execute(_ work: @escaping @Sendable () -> Void) {
        add(.call(work))
    }

    /// Begins a task that the end of the process cancels.
    func begin(_ body: @escaping @Sendable () async -> Void) {
        tasks.append(Task(executorPreference: self) { await body() })
    }

    // MARK: Stops

    var isStopped: Bool { held != nil }

    /// Stops the process as a debugger does: its time passes, and nothing of it runs.
    func stop() {
        guard held == nil, !isDead else { return }
        held = []
        stoppedAt = stage.now
    }

    func proceed() {
        guard let works = held else { return }
        held = nil
        stopped += stage.now - stoppedAt
        for work in works { stage.add(work, of: self) }
    }

    /// Ends the process. Its tasks come to their end without effect: nothing that they call does anything.
    func kill() {
        guard !isDead else { return }
        isDead = true
        proceed()
        for task in tasks { task.cancel() }
        tasks = []
        for (_, fail) in waits.sorted(by: { $0.key < $1.key }) { fail() }
        waits = [:]
    }

    // MARK: Time

    var now: Duration {
        guard !isDead else { return .seconds(1 << 40) }
        let time = clockStands ? stage.now - stopped : stage.now
        return time * (1000 + drift) / 1000
    }

    var time: ClusterTime {
        ClusterTime(
            now: { self.now },
            sleep: { duration in
                try await self.suspended { resume in
                    self.stage.after(duration) { resume(.success(())) }
                }
            },
            executor: self)
    }

    /// Suspends a task until something resumes it.
    ///
    /// - Parameter begin: Receives the closure that resumes it, and returns a timer that is of no use afterwards.
    /// - Returns: The value with which it was resumed.
    /// - Throws: The failure with which it was resumed; a `CancellationError` if the task is cancelled or the
    ///   process ends.
    func suspended<Value: Sendable>(
        _ begin: @escaping (_ resume: @escaping (Result<Value, any Error>) -> Void) -> Int?
    ) async throws -> Value {
        let number = stage.number()
        var timer: Int?
        return try await withTaskCancellationHandler {
            defer { if let timer { stage.cancel(timer) } }
            return try await withCheckedThrowingContinuation { continuation in
                guard !isDead, !Task.isCancelled else {
                    // Others have their turn: the task that cancels this one may be among them.
                    return execute { continuation.resume(throwing: CancellationError()) }
                }
                waits[number] = { continuation.resume(throwing: CancellationError()) }
                timer = begin { [self] result in
                    guard waits.removeValue(forKey: number) != nil else { return }
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            waits.removeValue(forKey: number)?()
        }
    }
}
