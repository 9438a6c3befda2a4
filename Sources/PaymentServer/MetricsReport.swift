import OpenMetrics
import PaymentAPI
import PaymentCore
import PaymentEngine

/// The measurements of the daemon as OpenMetrics text. Label values are constant words.
struct MetricsReport {
    let core: ServerCore
    private var context: HandlerContext { core.context }
    private var engine: PaymentEngine { core.engine }

    /// The text.
    var text: String {
        var metrics = OpenMetricsText(prefix: "payqueued_")
        daemonMetrics(&metrics)
        connectionMetrics(&metrics)
        shareMetrics(&metrics)
        queueMetrics(&metrics)
        storeMetrics(&metrics)
        context.facts.measurements(&metrics)
        return metrics.ended
    }

    private func daemonMetrics(_ metrics: inout OpenMetricsText) {
        let uptime = engine.currentTime.milliseconds - context.facts.startedAt.milliseconds
        metrics.gauge(
            "uptime_seconds",
            "Seconds since the daemon started.", OpenMetricsText.seconds(milliseconds: uptime))
        metrics.gauge(
            "draining",
            "1 if the daemon is draining and accepts no new payments, else 0.",
            context.state == .draining)
        metrics.counter("turns", "Turns of the queue's event loop.", engine.turns)
        metrics.gauge(
            "log_head", "The sequence number of the newest record.", engine.durableHead)
        metrics.gauge(
            "log_oldest",
            "The sequence number of the oldest record that is kept.", engine.log.oldest)
        metrics.gauge(
            "log_bytes", "The size of the event log on disk, in bytes.", context.facts.logBytes())
        roomMetrics(engine.log.room, &metrics)
        let storage = context.facts.storage()
        metrics.gauge(
            "read_only", "1 if the state is only read and nothing is taken, else 0.",
            storage.isReadOnly)
        metrics.gauge(
            "archive_files", "Files with finished transactions.", storage.archiveFiles)
        metrics.gauge(
            "archive_bytes", "The size of the files with finished transactions, in bytes.",
            storage.archiveBytes)
        metrics.gauge(
            "archive_indexed",
            "1 if finished transactions can be looked up, 0 while an index is being built or cannot be.",
            storage.isIndexed)
        metrics.gauge(
            "storage_damage", "Damaged places in files of the state directory.",
            storage.damage.count)
        if let checked = storage.checkedAt {
            metrics.gauge(
                "storage_checked_timestamp_seconds",
                "The time of the last check of all files of the state directory.",
                OpenMetricsText.seconds(milliseconds: checked.milliseconds))
        }
        guard let commit = engine.turn.lastCommit else { return }
        metrics.gauge(
            "last_commit_timestamp_seconds", "The time of the last sync to disk.",
            OpenMetricsText.seconds(milliseconds: commit.milliseconds))
    }

    private func roomMetrics(_ room: Room, _ metrics: inout OpenMetricsText) {
        metrics.gauge(
            "disk_short_of_space",
            "1 if new payments are refused because disk space is low, else 0.", room.isShort)
        metrics.gauge(
            "disk_free_bytes", "The bytes that the file system of the state directory has free.",
            room.freeBytes)
        metrics.gauge(
            "disk_claimed_bytes", "The bytes that accepted transactions may still write.",
            room.claimedBytes)
        metrics.gauge(
            "disk_reserve_bytes",
            "The bytes that are kept for accepted transactions, in the files reserve and ahead in the "
                + "log.", room.reserveBytes + room.prefilledBytes)
        metrics.gauge(
            "disk_available_bytes", "The bytes that are left for new payments.",
            max(0, room.availableBytes))
        metrics.gauge(
            "unarchived_transactions",
            "Closed transactions that are in memory and not in an archive file yet.",
            engine.queue.closedInMemory)
    }

    private func connectionMetrics(_ metrics: inout OpenMetricsText) {
        metrics.gauge("connections", "Open connections.", core.connections.count)
        metrics.counter("accepted_connections", "Accepted connections.", context.counters.accepted)
        metrics.counter(
            "refused_connections", "Connections that were refused by a limit.",
            context.counters.refused)
        metrics.counter(
            "stalled_closes",
            "Connections that were closed because the peer read nothing.",
            context.counters.stalledCloses)
        metrics.gauge("subscriptions", "Live subscriptions.", engine.subscriptions.all.count)
        let lags = engine.subscriptions.all.map {
            engine.durableHead - min($0.scanned, engine.durableHead)
        }
        metrics.gauge(
            "subscription_lag_records_max",
            "The number of records by which the slowest subscription is behind.",
            lags.max() ?? 0)
        metrics.gauge(
            "subscriptions_behind",
            "Subscriptions that are behind the newest record.", lags.count { $0 > 0 })
        metrics.gauge(
            "kept_connections", "Connections that were passed on to the next process.",
            core.connections.values.count { $0.handover.isEnabled })
        let waiting = core.connections.values.reduce(0) { $0 + $1.requests.calls.count }
        metrics.gauge("waiting_calls", "Calls that are waiting for a reply.", waiting)
        metrics.counter(
            "requests", "Calls by method.", by: "method", core.dispatcher.methods.callCounts)
        metrics.counter(
            "adds_without_key",
            "Calls of add without a key: repeating one after a lost reply may buy twice.",
            context.counters.keylessAdds)
        metrics.counter(
            "error_replies", "Requests that were answered with an error.",
            context.counters.errorReplies)
    }

    private func shareMetrics(_ metrics: inout OpenMetricsText) {
        let shares = SharedLimit.allCases.map { ($0.rawValue, context.share(of: $0).held) }
        metrics.gauge(
            "share_users", "Users that hold any of what a limit bounds.", by: "limit",
            shares.map { ($0.0, $0.1.count) })
        metrics.gauge(
            "share_held_max", "The number that the user with the most holds.", by: "limit",
            shares.map { ($0.0, $0.1.values.max() ?? 0) })
        metrics.counter(
            "share_refusals", "Requests of users that had their share of a limit.", by: "limit",
            SharedLimit.allCases.map { ($0.rawValue, core.refusals.byLimit[$0] ?? 0) })
        metrics.counter(
            "denied_calls", "Calls that the roles of the user do not permit.", core.refusals.denied)
        metrics.counter(
            "throttled_logins", "Logins that were refused because of earlier wrong ones.",
            context.counters.throttledLogins)
    }

    private func queueMetrics(_ metrics: inout OpenMetricsText) {
        let queue = engine.queue
        let counts = queue.openCounts
        metrics.gauge(
            "unfinished_transactions",
            "Unfinished transactions of all accounts.", queue.unfinishedCount)
        metrics.gauge(
            "transactions",
            "Unfinished transactions of the account in session, or of the account whose session ended.",
            by: "state",
            [
                ("waiting", counts.waiting), ("gated", counts.gated),
                ("submitted", counts.submitted), ("deferred", counts.deferred),
                ("purchased", counts.purchased), ("completing", counts.completing),
                ("restored", counts.restored), ("failed", counts.failed),
            ])
        let waiting = queue.waitingCounts.map { ($0.key.rawValue, $0.value) }
            .sorted { $0.0 < $1.0 }
        metrics.gauge(
            "waiting_transactions", "Transactions by what they wait for.", by: "for", waiting)
        metrics.gauge(
            "session_ended", "1 if work waits because the store ended a session, else 0.",
            queue.endedSession != nil)
        metrics.counter(
            "session_ends", "Sessions that the store ended.", engine.store.sessions.sessionsEnded)
        metrics.gauge("open_questions", "Open questions.", engine.questions.visible.count)
        metrics.gauge("running_restores", "Running restores.", engine.reader.visibleRestores.count)
    }

    private func storeMetrics(_ metrics: inout OpenMetricsText) {
        let health = engine.store.access.health
        metrics.gauge("store_up", "1 if the store answers, else 0.", health.isUp)
        metrics.gauge(
            "store_since_timestamp_seconds", "The time since which the store is in that state.",
            OpenMetricsText.seconds(milliseconds: health.since.milliseconds))
    }
}
