import Logging
import PaymentCore

/// The turn: decide, apply, sync, reply, tell, act. In that order, always.
extension PaymentEngine {
    /// Most steps of work that start in one turn. Orders are few; questions and discards after a
    /// change of country may be as many as there are transactions.
    static let startsOfTurn = 256

    /// Ends the running turn: hands over what it recorded, and lets out what speaks of it when that is
    /// committed. While a batch is under way the turn goes on collecting.
    func endTurn() {
        loop.preconditionOnLoop()
        guard !hasFailed, !hasStopped, pipeline.begin(at: loop.now) else { return }
        meter.begin(.turn)
        reviewQuestions()
        startWork()
        pipeline.running.trace = lastTrace
        let isEmpty = pipeline.running.records.isEmpty
        pipeline.seal(at: loop.now)
        if isEmpty { return askDisk() }
        meter.begin(.sync)
        let result = journal.submit { [self] result in wasCommitted(result) }
        if let result { wasCommitted(result) } else { awaitCommit() }
    }

    /// The log answers later; participants keep apart what they get meanwhile.
    private func awaitCommit() {
        meter.begin(.other)
        for participant in pipeline.inFlight?.participants ?? [] { participant.turnIsSealed() }
        catchUpAfterTurn()
    }

    private func wasCommitted(_ result: CommitResult) {
        guard isGood(result), let batch = pipeline.inFlight else { return }
        let duration = loop.now - batch.submitted
        meter.endSync(duration)
        if let trace = batch.trace { exemplify?(.sync, duration, trace) }
        pipeline.hasSynced = true
        lastCommit = batch.records.last?.time
        askDisk()
    }

    /// Has the disk prove that it answers, if the turn is there for that and nothing was synced since the
    /// last that was. Whatever hangs or fails here does so before a client's request meets it.
    private func askDisk() {
        let isForWatchdog = pipeline.isForWatchdog
        let mustAsk = isForWatchdog && !pipeline.hasSynced
        if isForWatchdog {
            pipeline.isForWatchdog = false
            pipeline.hasSynced = false
        }
        guard mustAsk else { return release(forWatchdog: isForWatchdog) }
        let began = loop.now
        meter.begin(.sync)
        let wasProbed = { [self] (result: CommitResult) in
            guard isGood(result) else { return }
            meter.endSync(loop.now - began)
            release(forWatchdog: true)
        }
        if let result = journal.probe(wasProbed) { wasProbed(result) } else { awaitCommit() }
    }

    /// Whether the log took what it was given. Otherwise nothing of the turn was seen outside, and now
    /// nothing of it ever is.
    private func isGood(_ result: CommitResult) -> Bool {
        guard !hasFailed else { return false }
        switch result {
        case .committed: return true
        case .fenced: fail(JournalFailure("another process has taken over the log"))
        case .failed(let failure): fail(failure)
        }
        return false
    }

    /// Lets out what the turn has to say, now that it is committed: replies, then events, then orders.
    private func release(forWatchdog: Bool) {
        let position = durableHead
        let batch = pipeline.commit()
        let records = batch.records
        if let last = records.last { durableHead = last.sequence }
        // Calls that waited are answered with the other replies: before the events of the turn.
        for answer in waiters.notice(records) { answer() }
        releaseReplies(batch.participants)
        if !records.isEmpty { publish(batch, after: position) }
        advanceNewSubscriptions()
        if batch.changesSession { observersHeardOfSession() }
        for record in records {
            let effect = writer.ask { queue in queue.effect(of: record.event) }
            if let effect { perform(effect) }
        }
        for effect in batch.effects where isStillPending(effect) { perform(effect) }
        tendRestores()
        armIdleMark(after: records)
        catchUpAfterTurn()
        if !records.isEmpty { witness?(records) }
        if !forWatchdog || !records.isEmpty { didChange?() }
        let duration = loop.now - batch.began
        meter.endTurn(duration)
        if let trace = batch.trace { exemplify?(.turn, duration, trace) }
        if pipeline.reuse(batch) { loop.execute { [self] in endTurn() } }
    }

    /// Replies that were written while the others were released leave as well, unless they may speak of
    /// what is proposed only.
    private func releaseReplies(_ participants: [any TurnParticipant]) {
        for participant in participants { participant.turnIsDurable() }
        guard pipeline.isSettled, !pipeline.running.participants.isEmpty else { return }
        let late = pipeline.running.participants
        pipeline.running.participants.removeAll(keepingCapacity: true)
        for participant in late { participant.turnIsDurable() }
    }

    /// Starts what may start, unless the session changes in this turn: then every observer is told
    /// first what the new session sees.
    private func startWork() {
        guard !pipeline.changesSession else { return }
        let context = context(nil)
        for _ in 0..<Self.startsOfTurn {
            queue.decideNextStart(context, for: readiness, events: &events)
            guard !events.isEmpty else { return }
            recordEvents(origin: nil, time: context.now)
        }
        loop.executeAfterInput { [self] in scheduleTurnEnd() }
    }

    /// The trace context of the last request of the turn that carried one; nil if no one asks for it.
    private var lastTrace: OpaqueText? {
        guard exemplify != nil else { return nil }
        return pipeline.running.records.last { $0.origin?.trace != nil }?.origin?.trace
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
        guard !hasFailed, !hasStopped, pipeline.isSettled else { return }
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
    /// Takes a turn even if there is nothing to do, and has the disk answer in it; the watchdog looks
    /// whether it happens.
    public func takeTurn() {
        pipeline.isForWatchdog = true
        scheduleTurnEnd()
    }
}
