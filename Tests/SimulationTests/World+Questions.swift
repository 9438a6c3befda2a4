import PaymentCore
import PaymentEngine
import PaymentTesting

/// Calls that wait for somebody, and those who let them wait or not.
extension World {
    /// Makes a call that may have to wait for a login.
    func callAndWait(_ life: Life) {
        guard life.calls.count < 6 else { return }
        let origin = nextOrigin(life)
        let number = origin.request
        life.calls.append((number, nil))
        let ticket: WaitTicket
        switch dice.below(4) {
        case 0..<2:
            let request = randomAdd()
            ticket = life.engine.login.addAfterLogin(request, origin: origin) {
                [unowned self, unowned life] result in
                wasAnswered(number, life)
                check(result, of: number, request, life)
            }
        case 2:
            let request = randomRestore()
            ticket = life.engine.login.restoreAfterLogin(request, origin: origin) {
                [unowned self, unowned life] result in
                wasAnswered(number, life)
                guard case .success(let reply) = result else { return }
                answer(life) { $0.acknowledge(reply) }
            }
        default:
            ticket = life.engine.login.logInByAgent(origin: origin) {
                [unowned self, unowned life] result in
                wasAnswered(number, life)
                guard case .success((let session, _)) = result else { return }
                if session != model.session { find("a login ended in another session") }
            }
        }
        if let place = life.calls.firstIndex(where: { $0.number == number }) {
            life.calls[place].ticket = ticket
        }
    }

    /// A client that waits goes away.
    func giveUp(_ life: Life) {
        guard let call = dice.pick(life.calls), let ticket = call.ticket else { return }
        life.calls.removeAll { $0.number == call.number }
        life.engine.login.cancel(ticket)
    }

    private func wasAnswered(_ number: UInt64, _ life: Life) {
        guard let place = life.calls.firstIndex(where: { $0.number == number }) else {
            return find("request \(number) was answered twice, or when nobody waited any more")
        }
        life.calls.remove(at: place)
    }

    private func check(
        _ result: Result<AddReply, EngineRefusal>, of number: UInt64, _ request: AddRequest,
        _ life: Life
    ) {
        let isThere = model.live.contains { model.entries[$0]?.request == number }
        switch result {
        case .success(let reply):
            if reply.isDuplicate == isThere {
                find("request \(number) came to \(reply.transaction.id) without a record")
            }
            answer(life) { $0.acknowledge(reply, request) }
        case .failure(let refusal):
            if isThere { find("request \(number) was refused (\(refusal)) and is in the queue") }
        }
    }

    /// Somebody answers an open question, in time or too late; or an agent logs in.
    func answerQuestion(_ life: Life) {
        if dice.chance(15) { return answerLate(life) }
        let open = life.engine.questions.visible.map(\.question)
        guard let question = dice.pick(open) else { return }
        if question.kind == .login, dice.chance(60) {
            let account = dice.chance(70) ? Samples.anna : Samples.bert
            return life.engine.store.sessions.logIn(account: account, credential: nil, origin: nil)
            { _ in }
        }
        let mayBeClosed = question.kind == .login && model.session != nil
        do throws(EngineRefusal) {
            let value = dice.chance(65)
            let sequence = try life.engine.questions.answer(
                question.id, value: value, origin: nextOrigin(life))
            if value { agreements[question.id] = sequence }
            if !model.closedQuestions.contains(question.id) {
                find("question \(question.id) was answered and is open")
            }
        } catch {
            if !mayBeClosed { find("question \(question.id) cannot be answered: \(error)") }
        }
    }

    private func answerLate(_ life: Life) {
        guard let id = dice.pick(closedQuestions), model.questions[id] == nil else { return }
        do throws(EngineRefusal) {
            let sequence = try life.engine.questions.answer(
                id, value: true, origin: nextOrigin(life))
            // Whoever said so may say so again, and is told of the same record.
            if agreements[id] != sequence { find("question \(id) was answered a second time") }
        } catch {
            if error != .refused(.questionClosed(id)), error != .refused(.unknownQuestion) {
                find("question \(id): \(error)")
            }
        }
    }

    func setPolicy(_ life: Life) {
        let policy = GatePolicy(
            mode: dice.pick([.continue, .stop, .ask, .ask]) ?? .continue,
            timeoutMs: Int64(500 + dice.below(3500)), fallback: dice.chance(50),
            afterLogin: dice.chance(50) ? .ask : .continue)
        policies.append(policy)
        _ = try? life.engine.commands.setPolicy(policy, origin: nextOrigin(life))
        if model.policy != policy { find("the policy is another one than was set") }
        answer(life) { world in
            if let place = world.policies.lastIndex(of: policy) {
                world.policies.removeFirst(place)
            }
        }
    }

    /// A named observer says how far it has come.
    func acknowledge(_ life: Life) {
        let named = life.readers.filter { $0.request.name != nil && !$0.checker.isEnded }
        guard let reader = dice.pick(named), let name = reader.request.name else { return }
        let position = reader.checker.last
        let origin = nextOrigin(life)
        let owner = model.observers[name]?.owner ?? origin.uid
        do throws(EngineRefusal) {
            let reached = try life.engine.commands.acknowledge(
                name, upTo: position, origin: origin)
            if owner != origin.uid { find("observer \(name) belongs to \(owner)") }
            if reached < position { find("observer \(name) came to \(reached) only") }
            answer(life) { world in
                world.namesAcknowledged[name] = max(
                    reached, world.namesAcknowledged[name] ?? 0)
            }
        } catch {
            if owner != origin.uid, error == .refused(.notOwner(name)) { return }
            find("observer \(name) cannot acknowledge \(position): \(error)")
        }
    }
}

/// Agents are asked in turn.
extension World {
    /// An agent that was asked a question.
    struct Ask {
        var reader: Reader
        var time: Duration
        /// How often the session had changed.
        var sessionMark: Int
    }

    /// An open question reaches a second agent only when the first one has had time or is gone.
    func checkTurn(_ question: Question, _ reader: Reader) {
        guard let life, reader.isAgent(for: question),
            life.engine.queue.openQuestion(question.id) != nil
        else { return }
        let ask = Ask(reader: reader, time: life.loop.now, sessionMark: sessionChanges)
        guard let last = asks.updateValue(ask, forKey: question.id), last.reader !== reader,
            last.time == ask.time, last.sessionMark == ask.sessionMark,
            life.readers.contains(where: { $0 === last.reader && !$0.checker.isEnded })
        else { return }
        find("two agents are asked question \(question.id) at once")
    }

    /// A planted defect: every agent is asked at once.
    func askTogether(_ delivery: Delivery, _ reader: Reader) {
        guard settings.defect == .agentsAreAskedTogether else { return }
        let question: Question
        switch delivery {
        case .question(let open, _): question = open.question
        case .record(let record, _):
            guard case .questionOpened(let opened) = record.event else { return }
            question = opened
        default: return
        }
        for other in life?.readers ?? [] where other !== reader { checkTurn(question, other) }
    }
}

/// Restores.
extension World {
    func randomRestore() -> RestoreRequest {
        RestoreRequest(
            appAccountToken: dice.chance(30) ? "player 1" : nil,
            key: dice.chance(50) ? OpaqueText("key \(dice.below(60))") : nil)
    }

    func restore(_ life: Life) {
        let request = randomRestore()
        let origin = nextOrigin(life)
        let expected = model.expectation(of: request, by: origin.uid, settings.limits)
        do throws(EngineRefusal) {
            let reply = try life.engine.commands.restore(request, origin: origin)
            let actual: Model.RestoreExpectation =
                reply.isDuplicate ? .known(reply.restore) : .accepted
            if actual != expected { find("restore: \(actual), expected \(expected)") }
            let hasEnded = model.restores[reply.restore]?.endedAt != nil
            if hasEnded != (reply.state != .running) { find("restore: \(reply.state)") }
            answer(life) { $0.acknowledge(reply) }
        } catch {
            if expected != .refused(error.word) {
                find("restore: \(error), expected \(expected)")
            }
        }
    }

    func acknowledge(_ reply: RestoreReply) {
        if reply.sequence > log.last?.sequence ?? 0 {
            find("restore \(reply.restore) was acknowledged too early")
        }
        restoresAcknowledged.insert(reply.restore)
    }
}
