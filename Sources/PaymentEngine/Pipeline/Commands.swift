public import PaymentCore

/// The commands of clients about the queue. Each answer belongs to the running turn, and is sent when
/// that turn is committed.
///
/// Proof: see ``QueueWriter``; calls that wait for a login name it.
public final class Commands: @unchecked Sendable {
    private let hub: SubscriptionHub
    private let writer: QueueWriter
    private let catalogues: CatalogueController

    init(hub: SubscriptionHub, catalogues: CatalogueController) {
        self.catalogues = catalogues
        self.hub = hub
        writer = hub.writer
    }

    /// Accepts a payment.
    ///
    /// - Parameters:
    ///   - request: The payment.
    ///   - origin: The caller.
    /// - Returns: The transaction, new or known by its key.
    /// - Throws: The refusal; nothing was recorded.
    public func add(_ request: AddRequest, origin: Origin) throws(EngineRefusal) -> AddReply {
        let context = writer.context(origin, closed: try writer.closed(request.closedKeys))
        switch try decide(request, context, &writer.events) {
        case .accepted(let id):
            try writer.dropUnlessThereIsRoom(origin)
            guard case .transaction(_, let transaction)? = writer.events.last,
                transaction.id == id
            else { preconditionFailure("transaction \(id) was accepted but does not exist") }
            let sequence = writer.recordEvents(origin: origin, time: context.now)
            return AddReply(
                transaction: transaction,
                waitingFor: writer.ask { queue in queue.waitingFor(transaction) },
                sequence: sequence, isDuplicate: false)
        case .duplicate(let id):
            return repeatedReply(id, to: request, context.closed)
        }
    }

    /// Checks whether ``add(_:origin:)`` would be accepted or repeated now; changes nothing.
    ///
    /// - Throws: The refusal of the request.
    public func check(_ request: AddRequest, origin: Origin) throws(EngineRefusal) {
        var draft: [Event] = []
        let context = writer.context(origin, closed: try writer.closed(request.closedKeys))
        let decision = try decide(request, context, &draft)
        guard case .accepted = decision else { return }
        if writer.isReadOnly { throw writer.refusalOfChanges }
        try writer.checkRoom(for: draft, origin)
    }

    /// Finishes a transaction: the client confirms the delivery of its goods.
    ///
    /// - Parameters:
    ///   - id: The transaction.
    ///   - origin: The caller.
    /// - Returns: The effect, and the position as of which it is true.
    /// - Throws: The transaction is unknown.
    public func finish(
        _ id: TransactionID, origin: Origin
    ) throws(EngineRefusal) -> (disposition: FinishDisposition, sequence: SequenceNumber) {
        // The claim of a transaction covers an origin of usual length only, so the trace context is
        // dropped while room is short.
        let origin = writer.journal.room.isShort ? origin.withoutTrace : origin
        // The record of the finish comes first. The records of questions that end with it follow.
        let closed = try writer.closed([.transaction(id)])
        let (disposition, sequence) = try writer.write(
            for: origin, closed: closed, mustFit: false, own: 0
        ) { queue, context, events throws(Refusal) in
            try queue.decideFinish(id, context, events: &events)
        }
        return (disposition, sequence)
    }

    /// Accepts a restore, or joins the one that is under way for the same purchases.
    ///
    /// - Parameters:
    ///   - request: The restore.
    ///   - origin: The caller.
    /// - Returns: The restore.
    /// - Throws: The refusal; nothing was recorded.
    public func restore(_ request: RestoreRequest, origin: Origin) throws(EngineRefusal)
        -> RestoreReply
    {
        let closed = try writer.closed(request.closedKeys)
        let (decision, sequence) = try writer.write(for: origin, closed: closed) {
            queue, context, events throws(Refusal) in
            try queue.decide(request, context, events: &events)
        }
        let (id, isDuplicate) =
            switch decision {
            case .accepted(let id): (id, false)
            case .joined(let id), .duplicate(let id): (id, true)
            }
        let ended = request.key.flatMap { RestoreReport(closed[.key($0)]) }
        guard let report = ended ?? writer.queue.report(of: id) else {
            preconditionFailure("restore \(id) was accepted but does not exist")
        }
        return RestoreReply(
            restore: id, state: RestoreState(report.outcome), waitingFor: report.waitingFor,
            sequence: sequence, isDuplicate: isDuplicate)
    }

    /// Checks whether a restore would be accepted, joined or repeated now; changes nothing.
    ///
    /// - Throws: The refusal of the request.
    public func check(_ request: RestoreRequest, origin: Origin) throws(EngineRefusal) {
        if writer.isReadOnly { throw writer.refusalOfChanges }
        var draft: [Event] = []
        let context = writer.context(origin, closed: try writer.closed(request.closedKeys))
        do throws(Refusal) {
            _ = try writer.queue.decide(request, context, events: &draft)
        } catch {
            throw .refused(error)
        }
        try writer.checkRoom(for: draft, origin)
    }

    /// Sets the gate policy. An equal policy changes nothing, and open questions stay unchanged.
    ///
    /// - Returns: The position as of which it is in force.
    /// - Throws: There is no room to record it.
    @discardableResult
    public func setPolicy(
        _ policy: GatePolicy, origin: Origin?
    ) throws(EngineRefusal) -> SequenceNumber {
        try writer.write(for: origin) { queue, _, events in
            queue.decidePolicy(policy, events: &events)
        }.sequence
    }

    /// Refuses an observer's name that the user may not subscribe with, or for which there is no room.
    ///
    /// - Throws: Another user owns the name, a live subscription uses it, the user has reached its share
    ///   of names, or the disk is short of space.
    public func admit(_ name: OpaqueText, user: UInt32?) throws(EngineRefusal) {
        do throws(Refusal) {
            guard !hub.isNameInUse(name) else { throw .nameInUse(name) }
            try writer.queue.admit(name, user: user)
        } catch {
            throw .refused(error)
        }
        guard writer.queue.acknowledged(by: name) != nil || writer.mayAdd else {
            throw .outOfSpace(writer.journal.room)
        }
    }

    /// Records that a named observer has handled all events up to a position. A position before the
    /// known one does not replace it.
    ///
    /// A name without an owner belongs to the caller from now on. If the caller may act for others, the
    /// name stays without an owner, and the record names no caller.
    ///
    /// - Parameters:
    ///   - name: The observer.
    ///   - position: The last record that the observer has handled.
    ///   - origin: The caller.
    ///   - mayActForOthers: Whether the caller may name an observer of another user.
    /// - Returns: The position that is acknowledged now.
    /// - Throws: There is no such observer, it belongs to another user, the position is ahead of the
    ///   log, or there is no room to record it.
    public func acknowledge(
        _ name: OpaqueText, upTo position: SequenceNumber, origin: Origin?,
        mayActForOthers: Bool = false
    ) throws(EngineRefusal) -> SequenceNumber {
        let isForOthers = mayActForOthers && writer.queue.owner(of: name) == nil
        _ = try writer.write(for: isForOthers ? nil : origin) {
            queue, context, events throws(Refusal) in
            try queue.decideAcknowledgement(
                by: name, upTo: position, mayActForOthers: mayActForOthers, context,
                events: &events)
        }
        return writer.queue.acknowledged(by: name) ?? position
    }

    /// Checks whether an acknowledgement would be accepted now or, without a position, whether the name
    /// could be given up. Changes nothing.
    ///
    /// - Throws: The refusal of the call.
    public func checkAcknowledgement(
        _ name: OpaqueText, upTo position: SequenceNumber?, origin: Origin?, mayActForOthers: Bool
    ) throws(EngineRefusal) {
        var draft: [Event] = []
        let context = writer.context(origin)
        do throws(Refusal) {
            if let position {
                try writer.queue.decideAcknowledgement(
                    by: name, upTo: position, mayActForOthers: mayActForOthers, context,
                    events: &draft)
            } else {
                try writer.queue.decideForgetting(
                    name, mayActForOthers: mayActForOthers, context, events: &draft)
            }
        } catch {
            throw .refused(error)
        }
    }

    /// Gives up the name of an observer. A live subscription with the name continues without a name.
    ///
    /// - Parameters:
    ///   - name: The observer.
    ///   - origin: The caller.
    ///   - mayActForOthers: Whether the caller may name an observer of another user.
    /// - Returns: The last position that it has acknowledged.
    /// - Throws: There is no such observer, or it belongs to another user.
    public func forget(
        _ name: OpaqueText, origin: Origin?, mayActForOthers: Bool = false
    ) throws(EngineRefusal) -> SequenceNumber {
        let position = writer.queue.acknowledged(by: name) ?? 0
        _ = try writer.write(for: origin, mustFit: false) {
            queue, context, events throws(Refusal) in
            try queue.decideForgetting(
                name, mayActForOthers: mayActForOthers, context, events: &events)
        }
        hub.release(name)
        return position
    }

    /// Forgets the keys, ids and snapshots of transactions that ended before a moment. Orders are kept
    /// for ever.
    public func forget(before: Timestamp) {
        hub.refreshNamesInUse()
        let hasOld = writer.history.hasPart(
            before: before, notBefore: writer.queue.forgottenBefore)
        writer.write { queue, _, events in
            queue.decideForget(before: before, hasOldHistory: hasOld, events: &events)
        }
    }

    private func decide(
        _ request: AddRequest, _ context: DecisionContext, _ events: inout [Event]
    ) throws(EngineRefusal) -> AddDecision {
        do throws(Refusal) {
            return try writer.ask { queue throws(Refusal) in
                try queue.decide(request, context, events: &events)
            }
        } catch {
            // Without a catalogue, the reason is not an unknown product: the catalogue could not be
            // loaded.
            guard case .unknownProduct = error,
                writer.facts.catalogues[writer.currentCountry] == nil
            else { throw .refused(error) }
            let failure = catalogues.whyUnknown
            throw .store(
                StoreFailure(failure.kind, "the catalogue is not known yet: \(failure)"))
        }
    }

    /// The reply for a key that already names a transaction.
    private func repeatedReply(
        _ id: TransactionID, to request: AddRequest, _ closed: ClosedFacts
    ) -> AddReply {
        if let key = request.key,
            case .transaction(let transaction, _, let finish)? = closed[.key(key)]
        {
            return AddReply(
                transaction: transaction, waitingFor: nil, sequence: writer.queue.head,
                isDuplicate: true, removed: finish)
        }
        guard let transaction = writer.queue.transaction(id) else {
            preconditionFailure("a key names transaction \(id), which does not exist")
        }
        return AddReply(
            transaction: transaction, waitingFor: writer.queue.waitingFor(transaction),
            sequence: writer.queue.head, isDuplicate: true)
    }
}

extension PaymentQueue {
    /// The state of a restore that is remembered.
    func report(of id: RestoreID) -> RestoreReport? {
        guard let known = restore(id) else { return nil }
        return RestoreReport(
            restore: known.restore, outcome: known.outcome,
            waitingFor: known.outcome == nil ? waitingFor(known.restore) : nil)
    }
}

extension RestoreReport {
    /// The state of a restore that ended; nil for other facts.
    init?(_ fact: ClosedFact?) {
        guard case .restore(let restore, _, let outcome, _)? = fact else { return nil }
        self.init(restore: restore, outcome: outcome, waitingFor: nil)
    }
}
