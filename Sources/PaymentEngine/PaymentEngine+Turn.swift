import Logging
public import PaymentCore

/// The turn: decide, apply, sync, reply, tell, act. In that order, always.
extension PaymentEngine {
    /// Most steps of work that start in one turn. Orders are few; questions and discards after a
    /// change of country may be as many as there are transactions.
    static let startsOfTurn = 256

    /// Takes the events of one command into the turn.
    ///
    /// - Parameters:
    ///   - origin: The caller, if it is a client.
    ///   - time: When it was decided.
    ///   - own: The place among the events of the one that answers the command; nil for the last.
    /// - Returns: The sequence number that the journal gave that event, or that of the last record
    ///   before if there are no events.
    @discardableResult
    func recordEvents(origin: Origin?, time: Timestamp, own: Int? = nil) -> SequenceNumber {
        let first = turnRecords.count
        for event in events {
            record(event, origin: origin, time: time)
        }
        let count = events.count
        events.removeAll(keepingCapacity: true)
        return count == 0 ? queue.head : turnRecords[first + (own ?? count - 1)].sequence
    }

    /// Appends one event to the journal and applies it.
    func record(_ event: Event, origin: Origin?, time: Timestamp? = nil) {
        let time = time ?? sources.wallClock()
        let sequence = journal.append(event, time: time, origin: origin)
        let record = Record(sequence: sequence, time: time, origin: origin, event: event)
        do {
            try queue.apply(record)
        } catch {
            preconditionFailure("the rules decided an impossible step: \(error)")
        }
        noteClock(of: event)
        turnRecords.append(record)
        scheduleTurnEnd()
    }

    /// Makes sure that a turn ends after everything that is ready now has been read.
    func scheduleTurnEnd() {
        guard !isTurnScheduled, !hasFailed, !hasStopped else { return }
        isTurnScheduled = true
        loop.execute { [self] in endTurn() }
    }

    /// Ends the running turn.
    func endTurn() {
        loop.preconditionOnLoop()
        isTurnScheduled = false
        guard !hasFailed, !hasStopped else { return }
        turns += 1
        let isForWatchdog = isTurnForWatchdog
        let began = loop.now
        meter.begin(.turn)
        var trace: OpaqueText?
        defer {
            let duration = loop.now - began
            meter.endTurn(duration)
            if let trace { exemplify?(.turn, duration, trace) }
        }
        reviewQuestions()
        startWork()
        let position = durableHead
        trace = lastTrace
        guard commit(traced: trace), askDisk() else { return }
        // Two buffers take turns, so that neither is made anew.
        var records = spareRecords
        spareRecords = []
        swap(&records, &turnRecords)
        defer {
            records.removeAll(keepingCapacity: true)
            swap(&records, &spareRecords)
        }
        // Who waited is answered with the other replies: before the events of the turn.
        for answer in waiters.notice(records) { answer() }
        releaseReplies()
        if !records.isEmpty { publish(records, after: position) }
        advanceNewSubscriptions()
        if sessionIsNews { observersHeardOfSession() }
        for record in records {
            let effect = ask { queue in queue.effect(of: record.event) }
            if let effect { perform(effect) }
        }
        tendRestores()
        armIdleMark(after: records)
        catchUpAfterTurn()
        if !records.isEmpty { witness?(records) }
        if !isForWatchdog || !records.isEmpty { didChange?() }
    }

    /// Starts what may start, unless the session changes in this turn: then every observer is told
    /// first what the new session sees.
    private func startWork() {
        guard !sessionIsNews else { return }
        let context = context(nil)
        for _ in 0..<Self.startsOfTurn {
            queue.decideNextStart(context, for: readiness, events: &events)
            guard !events.isEmpty else { return }
            recordEvents(origin: nil, time: context.now)
        }
        scheduleTurnEnd()
    }

    /// The trace context of the last request of the turn that carried one; nil if no one asks for it.
    private var lastTrace: OpaqueText? {
        guard exemplify != nil else { return nil }
        return turnRecords.last { $0.origin?.trace != nil }?.origin?.trace
    }

    private func commit(traced trace: OpaqueText?) -> Bool {
        guard !turnRecords.isEmpty else { return true }
        let began = loop.now
        meter.begin(.sync)
        do throws(JournalFailure) {
            try journal.commit()
        } catch {
            // Nothing of this turn was seen by anybody, and now nothing of it ever is.
            fail(error)
            return false
        }
        let duration = loop.now - began
        meter.endSync(duration)
        if let trace { exemplify?(.sync, duration, trace) }
        hasSynced = true
        durableHead = queue.head
        lastCommit = turnRecords.last?.time
        return true
    }

    /// Has the disk prove that it answers, if the turn is there for that and nothing was synced since the
    /// last that was. Whatever hangs or fails here does so before a client's request meets it.
    private func askDisk() -> Bool {
        guard isTurnForWatchdog else { return true }
        isTurnForWatchdog = false
        defer { hasSynced = false }
        guard !hasSynced else { return true }
        let began = loop.now
        meter.begin(.sync)
        do throws(JournalFailure) {
            try journal.sync()
        } catch {
            fail(error)
            return false
        }
        meter.endSync(loop.now - began)
        return true
    }

    private func releaseReplies() {
        let waiting = participants
        participants.removeAll(keepingCapacity: true)
        for participant in waiting { participant.turnIsDurable() }
    }

    /// A mark behind the last batch proves that the batch was synced.
    private func armIdleMark(after records: [Record]) {
        guard !records.isEmpty else { return }
        lastWork = loop.now
        guard idleTimer == nil else { return }
        scheduleIdleMark(after: Self.idleDelay)
    }

    /// One timer serves any number of turns: it looks how long ago the last work was.
    private func scheduleIdleMark(after delay: Duration) {
        idleTimer = loop.schedule(after: delay) { [self] in
            idleTimer = nil
            let rest = Self.idleDelay - (loop.now - lastWork)
            if rest > .zero { scheduleIdleMark(after: rest) } else { markIdle() }
        }
    }

    /// Marks the journal idle, if it is.
    func markIdle() {
        guard !hasFailed, !hasStopped, turnRecords.isEmpty else { return }
        meter.begin(.sync)
        defer { meter.begin(.other) }
        do throws(JournalFailure) {
            try journal.markIdle()
        } catch {
            fail(error)
        }
    }
}

extension PaymentEngine {
    /// Stops for good because the journal, or the embedded store's, cannot be relied on any more.
    public func fail(_ failure: JournalFailure) {
        guard !hasFailed else { return }
        hasFailed = true
        log.critical("storage failed; stopping", metadata: ["reason": "\(failure)"])
        onFailure(failure)
    }

    /// Takes a turn even if there is nothing to do, and has the disk answer in it; the watchdog looks
    /// whether it happens.
    public func takeTurn() {
        isTurnForWatchdog = true
        scheduleTurnEnd()
    }
}
