import PaymentCore
import PaymentEngine
import PaymentTesting

/// The calls of clients, and what they should come to.
extension World {
    /// A purchase of anything, with a key that may have been used before.
    func randomAdd() -> AddRequest {
        let products = [
            Samples.coins, Samples.coins, Samples.book, Samples.book, Samples.pass, Samples.club,
            Market.gold, Market.silver, Market.annual, Market.bronze, "no such product",
        ]
        let tokens: [OpaqueText?] = [nil, nil, "player 0", "player 1", "player 2"]
        return AddRequest(
            productIdentifier: dice.pick(products) ?? Samples.coins,
            appAccountToken: dice.pick(tokens) ?? nil,
            key: dice.chance(60) ? OpaqueText("key \(dice.below(60))") : nil)
    }

    /// Who makes the next request.
    func nextOrigin(_ life: Life) -> Origin {
        requests += 1
        let user = settings.lateness > 0 ? UInt32(requests % 3) : 0
        return Origin(uid: 1000 + user, connection: UInt64(life.number), request: requests)
    }

    func add(_ life: Life) {
        let request = randomAdd()
        let sold = life.engine.currentCountry.flatMap { life.engine.store.catalogues[$0] }?
            .product(request.productIdentifier)
        let origin = nextOrigin(life)
        let expected = model.expectation(
            of: request, by: origin.uid, sold: sold,
            paymentsAllowed: life.engine.store.sessions.paymentsAllowed, settings.limits)
        do throws(EngineRefusal) {
            let reply = try life.engine.commands.add(request, origin: origin)
            check(reply, request, expected, life)
            answer(life) { $0.acknowledge(reply, request) }
        } catch {
            if expected != .refused(error.word) { find("add: \(error), expected \(expected)") }
        }
    }

    private func check(
        _ reply: AddReply, _ request: AddRequest, _ expected: Model.Expectation, _ life: Life
    ) {
        let id = reply.transaction.id
        let actual: Model.Expectation = reply.isDuplicate ? .duplicate(id) : .accepted
        if actual != expected { find("add: \(actual), expected \(expected)") }
        let entry = model.entries[id]
        if reply.removed != nil, entry?.stage != .gone { find("add: \(id) is not gone") }
        guard entry?.stage == .waiting else { return }
        let waitingFor: WaitingFor =
            model.session == nil || entry?.account != model.session?.account
            ? .login
            : life.readers.contains { $0.isShown(request.productIdentifier) } ? .store : .observer
        if reply.waitingFor != waitingFor {
            find("add: \(id) waits for \(reply.waitingFor as Any), expected \(waitingFor)")
        }
    }

    func acknowledge(_ reply: AddReply, _ request: AddRequest) {
        let id = reply.transaction.id
        if reply.sequence > log.last?.sequence ?? 0 { find("\(id) was acknowledged too early") }
        acknowledged.insert(id)
        seenIDs.append(id)
        guard let key = request.key else { return }
        if let first = keysAcknowledged[key], first != id, !model.isForgotten(first) {
            find("key \(key) was acknowledged for \(first) and for \(id)")
        }
        keysAcknowledged[key] = id
    }

    func finish(_ life: Life) {
        let isEnd: Set<Model.Stage> = [.purchased, .failed, .restored]
        let visible = model.visible.filter { isEnd.contains($0.stage) }
        let id =
            (dice.chance(60) ? dice.pick(visible)?.id : dice.pick(seenIDs))
            ?? Samples.transaction(UInt64(dice.below(1000)))
        finish(id, life)
    }

    func finish(_ id: TransactionID, _ life: Life) {
        let expected = model.disposition(of: id)
        do throws(EngineRefusal) {
            let (disposition, sequence) = try life.engine.commands.finish(
                id, origin: Samples.origin)
            if disposition != expected {
                find("finish: \(disposition), expected \(expected as Any)")
            }
            answer(life) { world in
                if sequence > world.log.last?.sequence ?? 0 {
                    world.find("a finish of \(id) was acknowledged too early")
                }
                if disposition != .ignoredInFlight { world.finishAcknowledged.insert(id) }
            }
        } catch {
            if expected != nil || error != .refused(.unknownTransaction) {
                find("finish: \(error), expected \(expected as Any)")
            }
        }
    }

    /// Lets a reply leave when its turn is durable, or, as a planted defect, at once.
    func answer(_ life: Life, _ reply: @escaping (World) -> Void) {
        if settings.defect == .repliesLeaveEarly { return reply(self) }
        life.engine.turn.join(
            HeldReply { [unowned self, unowned life] in
                if !life.isOver { reply(self) }
            })
    }
}

extension EngineRefusal {
    /// The refusal in the model's words. What is not known to be sold is not sold to the model.
    var word: String {
        switch self {
        case .refused(.keyReuse), .refused(.keyReuseByRestore): "keyReuse"
        case .refused(.shareExceeded): "shareExceeded"
        case .refused(.unknownProduct), .store: "unknownProduct"
        case .refused(.paymentsNotAllowed): "paymentsNotAllowed"
        case .refused(.alreadyLive): "alreadyLive"
        case .refused(.queueFull): "queueFull"
        case .refused(.unknownTransaction): "unknownTransaction"
        case .refused(let other): "\(other)"
        case .outOfSpace: "outOfSpace"
        case .readOnly: "readOnly"
        case .noOwner: "noOwner"
        case .historyUnknown, .neverIndexed: "historyUnknown"
        case .cancelled: "cancelled"
        case .notLoggedIn: "notLoggedIn"
        case .tooManyAttempts: "tooManyAttempts"
        case .loginDiscarded, .noLoginAgent: "loginDiscarded"
        case .rejectedAfterLogin: "rejectedAfterLogin"
        case .pageExpired: "pageExpired"
        }
    }
}
