import NIOCore

/// Watches a peer that takes nothing: when bytes wait for it and it has taken none for the whole time
/// allowed, it is given up.
///
/// Nothing runs while nothing waits: the first bytes handed over begin the watching, and the first
/// look that finds none waiting ends it.
final class StallWatch {
    private static let looks = 4

    private let interval: TimeAmount
    private var timer: Scheduled<Void>?
    private var handed = 0
    private var taken = 0
    private var unchanged = 0

    /// A watch that gives up after a time.
    init(seconds: Int) {
        interval = .milliseconds(Int64(seconds) * 1000 / Int64(Self.looks))
    }

    /// Watches until the bytes that are handed to the channel, these and earlier ones, were taken.
    ///
    /// - Parameters:
    ///   - channel: The peer's channel.
    ///   - count: How many bytes it is given now.
    ///   - giveUp: Called once if the peer takes none for too long.
    func watch(_ channel: any Channel, handed count: Int, giveUp: @escaping () -> Void) {
        handed += count
        guard timer == nil else { return }
        taken = handed - count - Self.waitingBytes(channel)
        unchanged = 0
        schedule(channel, giveUp)
    }

    /// Ends watching.
    func end() {
        timer?.cancel()
        timer = nil
    }

    private func schedule(_ channel: any Channel, _ giveUp: @escaping () -> Void) {
        timer = channel.eventLoop.assumeIsolated().scheduleTask(in: interval) { [self] in
            timer = nil
            let waiting = Self.waitingBytes(channel)
            guard waiting > 0 else { return }
            unchanged = handed - waiting == taken ? unchanged + 1 : 0
            taken = handed - waiting
            guard unchanged < Self.looks else { return giveUp() }
            schedule(channel, giveUp)
        }
    }

    private static func waitingBytes(_ channel: any Channel) -> Int {
        (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
