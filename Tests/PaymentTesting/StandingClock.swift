import Synchronization

/// A clock that stands until the test moves it.
package final class StandingClock: Clock {
    package struct Instant: InstantProtocol {
        package var offset: Duration

        package func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Contents {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var nextSleeper = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let contents = Mutex(Contents())

    package init() {}

    package var now: Instant { contents.withLock(\.now) }
    package var minimumResolution: Duration { .nanoseconds(1) }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = contents.withLock { contents in
            contents.nextSleeper += 1
            return contents.nextSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let ready = contents.withLock { contents in
                    contents.sleepers[number] = Sleeper(
                        deadline: deadline, continuation: continuation)
                    let count = contents.sleepers.count
                    let ready = contents.waiters.filter { $0.count <= count }
                    contents.waiters.removeAll { $0.count <= count }
                    return ready.map(\.continuation)
                }
                for waiter in ready { waiter.resume() }
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// Moves the clock and wakes whoever slept no longer than that.
    package func advance(by duration: Duration) {
        let ready = contents.withLock { contents in
            contents.now = contents.now.advanced(by: duration)
            let now = contents.now
            let ready = contents.sleepers.filter { $0.value.deadline <= now }
            for number in ready.keys { contents.sleepers[number] = nil }
            return ready.values.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
    }

    /// Returns when so many are asleep.
    package func waitForSleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = contents.withLock { contents in
                if contents.sleepers.count >= count { return true }
                contents.waiters.append((count, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    private func cancel(_ number: Int) {
        let sleeper = contents.withLock { $0.sleepers.removeValue(forKey: number) }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
