import PaymentCore

/// A timer for one call at a real time. Setting another time replaces the call.
struct WakeTimer: Sendable {
    /// The longest sleep, in milliseconds. If the real clock is set, the timer notices after that.
    private static let longestSleepMs: Int64 = 600_000

    private var due: Timestamp?
    private var task: Task<Void, Never>?

    /// Sets the time of the call; nil for no call. The same time again has no effect.
    mutating func set(
        _ new: Timestamp?, now: Timestamp, clock: any Clock<Duration>,
        _ call: @escaping @Sendable () async -> Void
    ) {
        guard new != due else { return }
        cancel()
        due = new
        task = new.map { due in
            let rest = max(0, due.milliseconds - now.milliseconds)
            return Task {
                do {
                    try await clock.sleep(for: .milliseconds(min(rest, Self.longestSleepMs)))
                } catch {
                    return
                }
                await call()
            }
        }
    }

    /// Forgets a call that has begun, so that the same time can be set again.
    mutating func reset() { self = WakeTimer() }

    /// Cancels the call.
    func cancel() { task?.cancel() }
}
