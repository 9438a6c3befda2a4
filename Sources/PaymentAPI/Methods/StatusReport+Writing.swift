import PaymentCore
import StrictJSON

extension JSONWriter {
    /// A status report in the order of its members.
    mutating func statusReport(_ report: StatusReport) {
        beginObject()
        name("state")
        string(report.state.rawValue)
        name("since")
        time(report.since)
        name("account")
        if let session = report.session { string(session.account.string) } else { null() }
        name("storefront")
        storefront(report.session?.country)
        if let ended = report.endedSession {
            name("sessionEnded")
            endedSession(ended)
        }
        name("queue")
        queue(report.queue)
        name("log")
        log(report.log)
        name("connections")
        beginArray()
        for entry in report.connections {
            element()
            connection(entry)
        }
        endArray()
        name("questions")
        integer(report.questions)
        name("persistence")
        persistence(report.persistence)
        name("store")
        store(report.store)
        name("restores")
        beginArray()
        for restore in report.restores {
            element()
            restoreRecord(restore)
        }
        endArray()
        name("canMakePayments")
        canMakePayments(report.canMakePayments)
        endObject()
    }

    private mutating func endedSession(_ ended: EndedSession) {
        beginObject()
        name("account")
        string(ended.session.account.string)
        name("storefront")
        storefront(ended.session.country)
        name("at")
        time(ended.endedAt)
        endObject()
    }

    private mutating func queue(_ queue: StatusReport.Queue) {
        let counts = queue.counts
        beginObject()
        name("unfinished")
        integer(counts.unfinished)
        name("byState")
        beginObject()
        name("purchasing")
        integer(counts.purchasing)
        name("purchased")
        integer(counts.purchased + counts.completing)
        name("restored")
        integer(counts.restored)
        name("failed")
        integer(counts.failed)
        endObject()
        name("completing")
        integer(counts.completing)
        name("waitingFor")
        beginObject()
        for reason in WaitingFor.allCases {
            guard let count = queue.waitingFor[reason], count > 0 else { continue }
            name(reason.wireWord)
            integer(count)
        }
        endObject()
        endObject()
    }

    private mutating func log(_ log: StatusReport.Log) {
        beginObject()
        name("oldest")
        integer(log.oldest)
        name("head")
        integer(log.head)
        name("bytes")
        integer(log.bytes)
        endObject()
    }

    private mutating func connection(_ connection: StatusReport.Connection) {
        beginObject()
        name("uid")
        integer(connection.uid)
        member("client", connection.client?.string)
        name("subscriptions")
        integer(connection.subscriptions)
        name("lag")
        integer(connection.lag)
        name("bufferedBytes")
        integer(connection.bufferedBytes)
        name("paused")
        bool(connection.isPaused)
        endObject()
    }

    private mutating func persistence(_ persistence: StatusReport.Persistence) {
        beginObject()
        member("lastCommit", persistence.lastCommit)
        name("volatile")
        bool(persistence.isVolatile)
        member("lastError", persistence.lastError)
        endObject()
    }

    private mutating func store(_ store: StatusReport.Store) {
        beginObject()
        name("name")
        string(store.name)
        name("state")
        string(store.state.rawValue)
        name("since")
        time(store.since)
        member("lastError", store.lastError)
        member("nextTryAt", store.nextTryAt)
        endObject()
    }

    private mutating func canMakePayments(_ answer: StatusReport.CanMakePayments) {
        beginObject()
        name("value")
        bool(answer.value)
        member("reason", answer.reason)
        endObject()
    }

    private mutating func member(_ name: StaticString, _ moment: Timestamp?) {
        guard let moment else { return }
        self.name(name)
        time(moment)
    }
}
