internal import StrictJSON

/// The outcome of a purchase that was bought once.
public enum PurchaseOutcome: Sendable {
    /// It settled in this state; `failed` is one of them. It is not finished.
    case settled(ObservedTransaction)
    /// It left the queue: finished earlier, or discarded; the reason says which.
    case left(transaction: String, reason: String)
    /// The time was over first; it goes on without this client.
    case waiting(ObservedTransaction?)
}

extension PaymentQueueClient {
    /// Buys a product once per intent, whatever crashes in between.
    ///
    /// The key of the intent is on disk before anything is sent, so calling this again after any
    /// crash, of this program, the daemon or the machine, goes on with the same purchase. The goods
    /// are not delivered and the transaction is not finished by this: a worker does that, or you.
    ///
    /// - Parameters:
    ///   - product: The product's identifier.
    ///   - intent: Your name for this wish to buy.
    ///   - keys: Where the keys are.
    ///   - appAccountToken: The application's own account, carried along.
    ///   - time: How long to wait for the end.
    /// - Returns: What became of it within the time.
    /// - Throws: ``RPCError`` if the daemon refuses for good, ``ConnectionFailure`` if it does not
    ///   answer, ``KeyFileFailure``.
    public func buyOnce(
        _ product: String, intent: String, keys: IdempotencyKeys,
        appAccountToken: String? = nil, within time: Duration = .seconds(60)
    ) async throws -> PurchaseOutcome {
        let deadline = ContinuousClock.now + time
        let key = try keys.key(for: intent)
        let path = path
        let name = name
        return try await withThrowingTaskGroup(of: PurchaseOutcome?.self) { group in
            // The queue makes progress only while somebody observes.
            group.addTask {
                let notifications = ResumingNotifications(
                    path: path,
                    parameters: [
                        JSONMember(name: "products", value: .array([.string(product)]))
                    ], longestPause: .seconds(2), client: name)
                for try await _ in notifications {}
                return nil
            }
            group.addTask {
                try await self.settle(product, key, appAccountToken, deadline)
            }
            defer { group.cancelAll() }
            while let outcome = try await group.next() {
                if let outcome { return outcome }
            }
            throw CancellationError()
        }
    }

    private func settle(
        _ product: String, _ key: String, _ token: String?, _ deadline: ContinuousClock.Instant
    ) async throws -> PurchaseOutcome {
        let added = try await addRepeatedly(product, key, token, deadline)
        let id = added["transaction"]?.stringValue ?? ""
        if let removed = added["removed"] {
            return .left(transaction: id, reason: removed["reason"]?.stringValue ?? "unknown")
        }
        var latest: ObservedTransaction?
        repeat {
            let left = min(60, max(0, (deadline - ContinuousClock.now).components.seconds))
            let answer = try await call(
                "wait", ["transaction": .string(id), "timeout": .integer(left)],
                patience: .seconds(left))
            latest = answer["transaction"].flatMap(ObservedTransaction.init) ?? latest
            if let latest, latest.state != .purchasing { return .settled(latest) }
            if answer["reached"]?.boolValue == true {
                return .left(transaction: id, reason: "removed")
            }
        } while ContinuousClock.now < deadline
        return .waiting(latest)
    }

    /// Repeats the call, with the same key, as long as that can help.
    private func addRepeatedly(
        _ product: String, _ key: String, _ token: String?, _ deadline: ContinuousClock.Instant
    ) async throws -> JSONValue {
        while true {
            var pause = Duration.seconds(1)
            do {
                return try await add(product, key: key, appAccountToken: token)
            } catch let error as RPCError {
                pause = error.retryAfter ?? pause
                let canHelp = error.retry != .no || error.effect == .unknown
                guard canHelp, ContinuousClock.now + pause < deadline else { throw error }
            } catch let failure as ConnectionFailure {
                guard ContinuousClock.now + pause < deadline else { throw failure }
            }
            try await Task.sleep(for: pause)
        }
    }
}
