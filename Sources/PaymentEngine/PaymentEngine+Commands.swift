import Logging
public import PaymentCore

/// Why the engine does not do what a client asked.
public enum EngineRefusal: Error, Sendable, Hashable {
    /// The rules say no.
    case refused(Refusal)
    /// There is no room to keep it.
    case outOfSpace
    /// It cannot be decided without the store, which does not answer.
    case store(StoreFailure)
    /// The waiting call was cancelled, or its connection is gone.
    case cancelled
    /// It needs an account in session.
    case notLoggedIn
    /// No account logged in when a login was requested.
    case loginDiscarded
    /// It was turned down after the login that it had caused.
    case rejectedAfterLogin
    /// The page that was asked for is none, or is gone.
    case pageExpired
}

/// The result of `add`.
public struct AddReply: Sendable, Hashable {
    /// The transaction.
    public var transaction: Transaction
    /// The condition that it waits for.
    public var waitingFor: WaitingFor?
    /// The record that accepted it, or the position as of which the answer is true.
    public var sequence: SequenceNumber
    /// Whether the key named it before.
    public var isDuplicate: Bool
    /// How it left the queue, if it did.
    public var removed: Finish?
}

/// The calls of clients. Each answer belongs to the running turn and leaves when that is durable.
extension PaymentEngine {
    /// Accepts a payment.
    ///
    /// - Parameters:
    ///   - request: What to buy.
    ///   - origin: Who asks.
    /// - Returns: The transaction, new or known by its key.
    /// - Throws: Nothing was kept.
    public func add(_ request: AddRequest, origin: Origin) throws(EngineRefusal) -> AddReply {
        let context = context(origin)
        let decision: AddDecision
        do throws(Refusal) {
            decision = try writer.ask { queue throws(Refusal) in
                try queue.decide(request, context, events: &writer.events)
            }
        } catch {
            throw refusal(error)
        }
        switch decision {
        case .accepted(let id):
            guard !journal.isShortOfSpace else {
                events.removeAll(keepingCapacity: true)
                throw .outOfSpace
            }
            guard case .transaction(_, let transaction)? = events.last, transaction.id == id else {
                preconditionFailure("transaction \(id) was accepted but does not exist")
            }
            let sequence = recordEvents(origin: origin, time: context.now)
            return AddReply(
                transaction: transaction, waitingFor: queue.waitingFor(transaction),
                sequence: sequence, isDuplicate: false)
        case .duplicate(let id):
            return repeatedReply(id)
        }
    }

    /// Looks whether ``add(_:origin:)`` would be accepted or repeated now; changes nothing.
    ///
    /// - Throws: What it would be refused for.
    public func check(_ request: AddRequest, origin: Origin) throws(EngineRefusal) {
        var draft: [Event] = []
        let decision: AddDecision
        do throws(Refusal) {
            decision = try queue.decide(request, context(origin), events: &draft)
        } catch {
            throw refusal(error)
        }
        if case .accepted = decision, journal.isShortOfSpace { throw .outOfSpace }
    }

    /// Looks whether a restore would be accepted, joined or repeated now; changes nothing.
    ///
    /// - Throws: What it would be refused for.
    public func check(_ request: RestoreRequest) throws(EngineRefusal) {
        var draft: [Event] = []
        do throws(Refusal) {
            _ = try queue.decide(request, context(nil), events: &draft)
        } catch {
            throw .refused(error)
        }
        if !draft.isEmpty, journal.isShortOfSpace { throw .outOfSpace }
    }

    /// Takes the client's word that the goods of a transaction are delivered.
    ///
    /// - Parameters:
    ///   - id: The transaction.
    ///   - origin: Who says so.
    /// - Returns: What came of it, and the position as of which that is true.
    /// - Throws: The transaction is unknown.
    public func finish(
        _ id: TransactionID, origin: Origin
    ) throws(EngineRefusal) -> (disposition: FinishDisposition, sequence: SequenceNumber) {
        let context = context(origin)
        let disposition: FinishDisposition
        do throws(Refusal) {
            disposition = try queue.decideFinish(id, context, events: &events)
        } catch {
            throw .refused(error)
        }
        // Its own record comes first; questions that end with it have records behind that.
        return (disposition, recordEvents(origin: origin, time: context.now, own: 0))
    }

    /// Assumes a country while nobody is logged in; nil takes it back.
    ///
    /// - Parameters:
    ///   - country: The country, or nil.
    ///   - origin: Who asks.
    /// - Returns: The position as of which it holds.
    /// - Throws: There is no room to keep it.
    @discardableResult
    public func assume(
        _ country: CountryCode?, origin: Origin?
    ) throws(EngineRefusal) -> SequenceNumber {
        queue.decideAssumedCountry(country, events: &events)
        try dropUnlessThereIsRoom()
        let sequence = recordEvents(origin: origin, time: sources.wallClock())
        if let country { loadCatalogue(of: country) }
        return sequence
    }

    /// Whether a name is known, or can be kept with the known ones.
    public func hasRoom(forName name: OpaqueText) -> Bool {
        queue.acknowledged(by: name) != nil || !journal.isShortOfSpace && queue.hasRoomForObserver
    }

    /// Takes the word of a named observer that it has dealt with everything up to a position. A
    /// position behind the one known changes nothing.
    ///
    /// - Parameters:
    ///   - name: The observer.
    ///   - position: The last record dealt with.
    ///   - origin: The caller.
    /// - Returns: The position that is acknowledged now.
    /// - Throws: There is no such observer, the position is ahead of the log, or there is no room to
    ///   keep it.
    public func acknowledge(
        _ name: OpaqueText, upTo position: SequenceNumber, origin: Origin?
    ) throws(EngineRefusal) -> SequenceNumber {
        let context = context(origin)
        do throws(Refusal) {
            try queue.decideAcknowledgement(by: name, upTo: position, context, events: &events)
        } catch {
            throw .refused(error)
        }
        try dropUnlessThereIsRoom()
        recordEvents(origin: origin, time: context.now)
        return queue.acknowledged(by: name) ?? position
    }

    /// Forgets what was finished before a moment: keys, ids, snapshots. Orders are kept for ever.
    public func forget(before: Timestamp) {
        subscriptionHub.refreshNamesInUse()
        queue.decideForget(before: before, events: &events)
        recordEvents(origin: nil, time: sources.wallClock())
    }

    /// How the transaction stands that a key named before.
    private func repeatedReply(_ id: TransactionID) -> AddReply {
        guard let transaction = queue.transaction(id) else {
            preconditionFailure("a key names transaction \(id), which does not exist")
        }
        let removed = queue.finish(of: id)
        return AddReply(
            transaction: transaction,
            waitingFor: removed == nil ? queue.waitingFor(transaction) : nil,
            sequence: queue.head, isDuplicate: true, removed: removed)
    }

    /// A product is only unknown when the catalogue is known.
    private func refusal(_ refusal: Refusal) -> EngineRefusal {
        guard case .unknownProduct = refusal,
            writer.facts.catalogues[currentCountry] == nil
        else { return .refused(refusal) }
        let failure = whyNoCatalogue
        return .store(
            StoreFailure(failure.kind, "the catalogue is not known yet: \(failure)"))
    }
}
