import NIOCore

/// Watches a peer that takes nothing: when the bytes that wait for it have not become fewer for the
/// whole time allowed, it is given up.
final class StallWatch {
    private static let checks = 4

    private var timer: Scheduled<Void>?
    private var waiting = 0
    private var unchanged = 0

    /// Begins to watch, unless it already does.
    func begin(_ channel: any Channel, seconds: Int, giveUp: @escaping () -> Void) {
        guard timer == nil else { return }
        waiting = Self.waitingBytes(channel)
        unchanged = 0
        let interval = TimeAmount.milliseconds(Int64(seconds) * 1000 / Int64(Self.checks))
        schedule(channel, interval, giveUp)
    }

    /// Ends watching.
    func end() {
        timer?.cancel()
        timer = nil
    }

    private func schedule(
        _ channel: any Channel, _ interval: TimeAmount, _ giveUp: @escaping () -> Void
    ) {
        timer = channel.eventLoop.assumeIsolated().scheduleTask(in: interval) { [self] in
            let now = Self.waitingBytes(channel)
            unchanged = now == waiting ? unchanged + 1 : 0
            waiting = now
            guard unchanged < Self.checks else { return giveUp() }
            schedule(channel, interval, giveUp)
        }
    }

    private static func waitingBytes(_ channel: any Channel) -> Int {
        (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
