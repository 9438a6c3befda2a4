import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

/// Many subscriptions of every kind on a busy engine, each with a reader that pauses as it likes.
@Suite("Subscriptions in any interleaving")
struct InterleavingTests {
    /// One subscriber and what watches over it.
    private final class Reader {
        let target = RecordingTarget()
        let request: SubscriptionRequest
        var checker: StreamChecker
        var subscription: Subscription?

        init(_ request: SubscriptionRequest, head: SequenceNumber, _ bench: EngineBench) {
            self.request = request
            checker = StreamChecker(request: request, head: head)
            target.onDelivery = { [unowned self] delivery in
                checker.take(delivery)
                if case .record(let record, _) = delivery {
                    #expect(record.sequence <= bench.journal.durable.last?.sequence ?? 0)
                }
            }
        }
    }

    private static func request(_ dice: inout SeededGenerator, head: SequenceNumber)
        -> SubscriptionRequest
    {
        let kinds: [Set<EventKind>?] = [
            nil, nil, nil, [.transactionsUpdated], [.transactionsUpdated, .transactionsRemoved],
            [.storefrontChanged, .transactionsRemoved],
        ]
        let products: [Set<ProductIdentifier>?] = [nil, nil, [Samples.coins], [Samples.pass]]
        let after = dice.chance(50) ? SequenceNumber(dice.below(Int(head) + 1)) : nil
        let names: [OpaqueText?] = [nil, nil, nil, "books", "mail"]
        return SubscriptionRequest(
            after: after, kinds: dice.pick(kinds) ?? nil, products: dice.pick(products) ?? nil,
            isPassive: dice.chance(30), heartbeat: dice.chance(20) ? .seconds(1) : nil,
            onGap: dice.chance(20) ? .end : .snapshot, name: dice.pick(names) ?? nil)
    }

    private static func subscribe(
        _ bench: EngineBench, _ request: SubscriptionRequest, _ readers: inout [Reader]
    ) {
        var request = request
        if let name = request.name, bench.engine.subscriptions.isNameInUse(name) {
            request.name = nil
        }
        var resolved = request
        if let name = request.name {
            resolved.after = request.after ?? bench.engine.queue.acknowledged(by: name)
        }
        let reader = Reader(resolved, head: bench.engine.queue.head, bench)
        readers.append(reader)
        reader.subscription = bench.subscribe(reader.target, request)
    }

    /// Trims the log, or lets a named observer say how far it has got.
    private static func moveOn(
        _ bench: EngineBench, _ dice: inout SeededGenerator, _ readers: [Reader]
    ) {
        if dice.chance(20) {
            let head = bench.engine.durableHead
            return bench.journal.trim(upTo: head - min(head, SequenceNumber(dice.below(60))))
        }
        guard let reader = dice.pick(readers), let name = reader.request.name else { return }
        let known = bench.engine.queue.acknowledged(by: name) ?? 0
        let position = reader.checker.last
        let result = try? bench.engine.commands.acknowledge(name, upTo: position, origin: nil)
        #expect(result == max(known, position))
        #expect(bench.engine.queue.acknowledged(by: name) == max(known, position))
    }

    private static func step(
        _ bench: EngineBench, _ dice: inout SeededGenerator, _ readers: inout [Reader],
        _ ids: inout [TransactionID]
    ) {
        switch dice.below(18) {
        case 0..<4:
            ids.append(bench.add(dice.chance(50) ? Samples.coins : Samples.pass).transaction.id)
        case 4..<6:
            if let id = dice.pick(ids) { bench.finish(id) }
        case 6:
            subscribe(bench, request(&dice, head: bench.engine.durableHead), &readers)
        case 7..<11:
            guard let reader = dice.pick(readers) else { return }
            reader.target.roomFor = dice.pick([nil, nil, 0, 1, 5]) ?? nil
            if let subscription = reader.subscription, reader.target.hasRoom {
                bench.engine.catchUp.resume(subscription)
            }
        case 11:
            bench.gateway.store.mood = dice.pick([.charging, .deferring, .declining]) ?? .charging
        case 12..<14:
            bench.gateway.end(dice.below(max(1, bench.gateway.waiting.count)))
        case 14:
            guard dice.chance(30) else { return }
            if dice.chance(40) {
                bench.engine.store.sessions.logOut(origin: nil)
            } else {
                let account = dice.chance(50) ? Samples.anna : Samples.bert
                bench.engine.store.sessions.logIn(account: account, credential: nil, origin: nil) {
                    _ in
                }
            }
        case 15, 16:
            moveOn(bench, &dice, readers)
        default:
            guard readers.count > 12, let reader = readers.first else { return }
            if let subscription = reader.subscription {
                bench.engine.subscriptions.unsubscribe(subscription)
            }
            readers.removeFirst()
        }
    }

    @Test(
        "No gap, no doubling, no way back, one caughtUp each, and in the end all know the same",
        arguments: 1...60)
    func seam(seed: Int) {
        var dice = SeededGenerator(seed: UInt64(seed))
        let bench = EngineBench()
        var readers: [Reader] = []
        var ids: [TransactionID] = []
        for _ in 0..<600 {
            Self.step(bench, &dice, &readers, &ids)
            if dice.chance(40) { for _ in 0..<dice.below(4) { _ = bench.loop.runOne() } }
            if dice.chance(3) { bench.loop.advance(by: .milliseconds(300)) }
        }
        for reader in readers {
            reader.target.roomFor = nil
            if let subscription = reader.subscription { bench.engine.catchUp.resume(subscription) }
        }
        bench.run()
        var unfinished: [TransactionID: Transaction] = [:]
        bench.engine.queue.forEachUnfinished { transaction, _, _ in
            unfinished[transaction.id] = transaction
            return true
        }
        for (index, reader) in readers.enumerated() {
            let findings = reader.checker.findings
            #expect(findings.isEmpty, "seed \(seed), reader \(index), \(reader.request)")
            if reader.checker.isEnded { continue }
            #expect(reader.checker.isCaughtUp, "seed \(seed), reader \(index)")
            expectKnowledge(of: reader, unfinished, "seed \(seed), reader \(index)")
        }
    }

    private func expectKnowledge(
        of reader: Reader, _ unfinished: [TransactionID: Transaction], _ place: String
    ) {
        let request = reader.request
        guard request.kinds?.contains(.transactionsUpdated) ?? true else { return }
        guard !(request.isPassive && request.after != nil) else { return }
        for (id, transaction) in unfinished where transaction.state != .completing {
            let product = transaction.payment.product.product.productIdentifier
            guard request.products?.contains(product) ?? true else { continue }
            let known = reader.checker.known[id]
            #expect(known?.revision == transaction.revision, "\(place), \(id)")
            #expect(known?.state == transaction.state, "\(place), \(id)")
        }
    }
}
