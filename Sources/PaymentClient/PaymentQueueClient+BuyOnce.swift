internal import StrictJSON

/// The outcome of a purchase.
public enum PurchaseOutcome: Sendable {
    /// The purchase reached this state, possibly `failed`. The transaction is not finished.
    case settled(ObservedTransaction)
    /// The transaction left the queue: it was finished earlier or discarded. The reason says which.
    case left(transaction: String, reason: String)
    /// The time limit passed first. The purchase continues without this client.
    case waiting(ObservedTransaction?)
}

extension PaymentQueueClient {
    /// Buys a product at most once per intent, even across crashes.
    ///
    /// The key of the intent is on disk before the first call. A repeated call after a crash of
    /// this program, the daemon or the machine continues the same purchase. This call neither
    /// delivers the goods nor finishes the transaction; a worker or the caller does.
    ///
    /// - Parameters:
    ///   - product: The identifier of the product.
    ///   - intent: The caller's name for this purchase.
    ///   - keys: The key file.
    ///   - appAccountToken: The application's own account token.
    ///   - time: The longest time to wait for the outcome.
    /// - Returns: The outcome within the time.
    /// - Throws: ``RPCError`` if the daemon refuses permanently, ``ConnectionFailure`` if it does
    ///   not answer, ``KeyFileFailure`` if the key cannot be stored.
    public func buyOnce(
        _ product: String, intent: String, keys: IdempotencyKeys,
        appAccountToken: String? = nil, within time: Duration = .seconds(60)
    ) async throws -> PurchaseOutcome {
        let deadline = ContinuousClock.now + time
        let key = try keys.key(for: intent)
        let path = path
        let name = name
        return try await withThrowingTaskGroup(of: PurchaseOutcome?.self) { group in
            // The queue makes progress only while it has an observer.
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

    /// Repeats the call with the same key while a retry can succeed before the deadline.
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
