public import PaymentCore

/// The result of `restore`.
public struct RestoreReply: Sendable, Hashable {
    /// The restore, new, joined, or known by its key.
    public var restore: RestoreID
    /// Where it stands.
    public var state: RestoreState
    /// The condition that it waits for, while it has not ended.
    public var waitingFor: WaitingFor?
    /// The record that accepted the call, or the position as of which the answer is true.
    public var sequence: SequenceNumber
    /// Whether the restore was there before.
    public var isDuplicate: Bool
}

/// The state of a restore.
public struct RestoreReport: Sendable, Hashable {
    /// The restore.
    public var restore: Restore
    /// How it ended; nil while it has not.
    public var outcome: RestoreOutcome?
    /// The condition that it waits for; nil when it has ended.
    public var waitingFor: WaitingFor?
}

/// The calls of clients about restores.
extension PaymentEngine {
    /// Accepts a restore, or joins the one that is under way for the same purchases.
    ///
    /// - Parameters:
    ///   - request: What to restore.
    ///   - origin: Who asks.
    /// - Returns: The restore.
    /// - Throws: Nothing was kept.
    public func restore(
        _ request: RestoreRequest, origin: Origin
    ) throws(EngineRefusal) -> RestoreReply {
        let context = context(origin)
        let decision: RestoreDecision
        do throws(Refusal) {
            decision = try queue.decide(request, context, events: &events)
        } catch {
            throw .refused(error)
        }
        try dropUnlessThereIsRoom()
        let sequence = recordEvents(origin: origin, time: context.now)
        let (id, isDuplicate) =
            switch decision {
            case .accepted(let id): (id, false)
            case .joined(let id), .duplicate(let id): (id, true)
            }
        guard let known = queue.restore(id) else {
            preconditionFailure("restore \(id) was accepted but does not exist")
        }
        let report = report(known.restore, known.outcome)
        return RestoreReply(
            restore: id, state: RestoreState(report.outcome), waitingFor: report.waitingFor,
            sequence: sequence, isDuplicate: isDuplicate)
    }

    /// A restore that is remembered and that the session sees.
    public func restoreReport(_ id: RestoreID) -> RestoreReport? {
        guard let known = queue.restore(id), queue.isVisible(known.restore.account) else {
            return nil
        }
        return report(known.restore, known.outcome)
    }

    /// The restores that have not ended and that the session sees, in the order of acceptance.
    public var visibleRestores: [RestoreReport] {
        queue.visibleRestores.map { report($0, nil) }
    }

    /// Waits until a restore has ended.
    ///
    /// - Parameters:
    ///   - id: A restore that the session sees.
    ///   - answer: Called once in the turn that ends it; never when ``cancelWait(_:)`` was called
    ///     before.
    /// - Returns: A number to cancel the waiting by; nil when it has ended, or is not known.
    public func wait(forRestore id: RestoreID, answer: @escaping () -> Void) -> UInt64? {
        guard let known = queue.restore(id), known.outcome == nil else { return nil }
        return reader.waits.wait(for: id, answer: answer)
    }

    private func report(_ restore: Restore, _ outcome: RestoreOutcome?) -> RestoreReport {
        RestoreReport(
            restore: restore, outcome: outcome,
            waitingFor: outcome == nil ? queue.waitingFor(restore) : nil)
    }
}
