import JSONRPC
import Logging
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// Passes what this node refuses with `noOwner` on to the node that owns the queue, and gives its replies to the
/// clients.
///
/// A call that is passed on holds up its connection: requests and events wait behind its reply. The reply waits
/// until this node has the records that it speaks of, so that a client reads here what it has changed there.
final class Forwarder {
    private let dialer: any OwnerDialer
    private unowned let context: HandlerContext
    private var links: [UInt64: ClientLink] = [:]
    /// The waits for records, by connection.
    private var waits: [UInt64: UInt64] = [:]

    /// The time after which a call that the owner has neither answered nor said to wait ends without an answer.
    private static let patience = Duration.seconds(30)
    /// The pause before the owner is dialled again for an observer, or counts one that it has refused.
    private static let pause = TimeAmount.seconds(1)
    /// The pause before an agent's turn is looked at again that cannot be shown yet.
    private static let turnPause = TimeAmount.milliseconds(20)
    /// The longest time that a reply waits for the records of this node.
    private static let lag = Duration.seconds(5)

    init(_ dialer: any OwnerDialer, _ context: HandlerContext) {
        self.dialer = dialer
        self.context = context
    }

    /// Whether calls of a connection can be passed on now. Calls of other nodes are not: this node was the owner
    /// for them.
    func isOpen(for connection: Connection) -> Bool {
        context.engine.isFollowing && !connection.caller.isRemote && dialer.isReachable
    }

    // MARK: Calls

    /// Passes a call on as it is.
    ///
    /// - Parameters:
    ///   - method: Its method.
    ///   - params: Its parameters.
    ///   - call: The call, which holds up the line of its connection.
    ///   - isInBatch: Whether it is an element of a batch.
    ///   - connection: The connection.
    func forward(
        _ method: String, _ params: JSONValue?, _ call: WaitingCall, isInBatch: Bool,
        of connection: Connection
    ) {
        let pending = ClientLink.Pending(call, isInBatch: isInBatch) { call.relay($0) }
        forward(method, params, pending, of: connection)
    }

    /// Has the owner give a subscription its name, and begins the subscription here then.
    ///
    /// - Parameters:
    ///   - subscription: The request.
    ///   - call: The call, which holds up the line of its connection.
    ///   - connection: The connection.
    ///   - begin: Begins the subscription here.
    func begin(
        _ subscription: SubscriptionRequest, _ call: WaitingCall, of connection: Connection,
        _ begin: @escaping () throws(ErrorObject) -> Subscribe.Result
    ) {
        let params = Self.params(of: subscription)
        let pending = ClientLink.Pending(call, isInBatch: false) { [self] remote in
            do throws(ErrorObject) {
                let result = try begin()
                let mirror = ClientLink.Mirror(params: params, remote: remote["subscription"])
                links[connection.caller.number]?.mirrors[result.subscription] = mirror
                call.succeed(result)
            } catch {
                call.fail(error)
            }
        }
        forward("\(Subscribe.spec.name)", params, pending, of: connection)
    }

    private func forward(
        _ method: String, _ params: JSONValue?, _ pending: ClientLink.Pending,
        of connection: Connection
    ) {
        let call = pending.call
        guard isOpen(for: connection), let client = open(for: connection) else {
            return call.fail(Failures.noOwner)
        }
        let number = client.send(method, params)
        client.pending[number] = pending
        // Whether the call was in time to be cancelled is known there.
        call.onCancel = { [weak client] in
            _ = client?.send("cancel", ["id": .integer(Int64(number))])
        }
        call.onAbandon = { [weak client] in
            guard let client, client.pending.removeValue(forKey: number) != nil else { return }
            _ = client.send("cancel", ["id": .integer(Int64(number))])
        }
        call.schedule(after: Self.patience, on: context.loop) { [weak self, weak client] in
            guard let self, let client, client.pending[number]?.isWaiting == false else { return }
            end(client, wasOpen: true)
        }
    }

    private func open(for connection: Connection) -> ClientLink? {
        let key = connection.caller.number
        let client = links[key] ?? ClientLink(connection)
        if client.link != nil { return client }
        let caller = RemoteCaller(
            peer: connection.caller.peer, roles: connection.caller.roles.set,
            clientName: connection.caller.clientName)
        client.opened += 1
        let bound = NIOLoopBound((self, client), eventLoop: context.eventLoop)
        client.link = dialer.dial(caller) {
            [eventLoop = context.eventLoop, number = client.opened] news in
            eventLoop.execute {
                let (forwarder, client) = bound.value
                if client.opened == number { forwarder.take(news, client) }
            }
        }
        guard client.link != nil else { return nil }
        links[key] = client
        for (subscription, mirror) in client.mirrors { begin(subscription, mirror, client) }
        return client
    }

    private func take(_ news: OwnerNews, _ client: ClientLink) {
        // A link that was closed here may still have lines on their way.
        guard client.link != nil else { return }
        guard case .line(let bytes) = news else {
            if case .ended(let wasOpen) = news { end(client, wasOpen: wasOpen) }
            return
        }
        switch ClientLink.Line(bytes) {
        case .reply(let number, let json):
            if let subscription = client.beginning.removeValue(forKey: number) {
                client.mirrors[subscription]?.remote = json["result"]?["subscription"]
                if let error = json["error"] { refuse(subscription, error, client) }
            } else if let pending = client.pending[number] {
                pending.reply = json
                client.answered.append(number)
            }
        case .waiting(let number): release(number, client)
        case .turn(let turn, let remote):
            guard let mirror = client.mirrors.first(where: { $0.value.remote == remote }) else {
                return
            }
            client.turns.append((mirror.key, turn))
            showTurns(client)
        case .committed(let position): deliver(client, from: position, until: nil)
        case .refused(let error): end(client, because: error)
        case .other: break
        }
    }

    /// Tries later again to have the owner count an observer, such as one whose name a former link still has.
    private func refuse(_ subscription: SubscriptionID, _ error: JSONValue, _ client: ClientLink) {
        guard let mirror = client.mirrors[subscription], let connection = client.connection else {
            return
        }
        if !mirror.isRefused {
            connection.server.log.warning(
                "the owner of the queue does not count an observer of this node; trying again",
                metadata: ["reason": "\(error["message"]?.stringValue ?? "unknown")"])
        }
        client.mirrors[subscription]?.isRefused = true
        context.loop.scheduleTask(in: Self.pause) {
            [weak self, weak client, link = client.opened] in
            guard let self, let client, client.opened == link, client.link != nil,
                let mirror = client.mirrors[subscription], mirror.remote == nil
            else { return }
            begin(subscription, mirror, client)
        }
    }

    /// Gives the replies that have come to the client, when this node has the records that they speak of.
    private func deliver(
        _ client: ClientLink, from position: SequenceNumber, until limit: NIODeadline?
    ) {
        guard !client.answered.isEmpty, let connection = client.connection else { return }
        let engine = context.engine
        let limit = limit ?? .now() + TimeAmount(Self.lag)
        guard engine.durableHead < position, engine.isFollowing, .now() < limit else {
            return answer(client)
        }
        let key = connection.caller.number
        if let former = waits[key] { engine.reader.cancel(former) }
        let wait = engine.reader.waitForRecord(after: engine.durableHead) { [self, weak client] in
            waits[key] = nil
            if let client { deliver(client, from: position, until: limit) }
        }
        waits[key] = wait
        // Without a record the wait ends by time.
        context.loop.scheduleTask(deadline: limit) { [self, weak client] in
            guard waits[key] == wait, let client else { return }
            waits[key] = nil
            engine.reader.cancel(wait)
            answer(client)
        }
    }

    private func answer(_ client: ClientLink) {
        let numbers = client.answered
        client.answered = []
        for number in numbers {
            guard let pending = client.pending.removeValue(forKey: number), let json = pending.reply
            else { continue }
            pending.call.onAbandon = nil
            pending.call.onCancel = nil
            if let result = json["result"] {
                pending.succeed(result)
            } else {
                pending.call.fail(
                    json["error"].flatMap { ErrorObject($0) } ?? Self.outcomeUnknown)
            }
        }
    }

    /// Lets other calls of the connection run while a call waits for a person or the store.
    private func release(_ number: UInt64, _ client: ClientLink) {
        guard let pending = client.pending[number], let connection = client.connection else {
            return
        }
        pending.isWaiting = true
        let limit = context.limits.waitingCalls
        let isFull = connection.requests.calls.count > limit
        guard !pending.isInBatch, !isFull else {
            pending.call.onCancel = nil
            return pending.call.cancel(
                isFull ? Failures.limit(.tooManyInFlight, limit) : Failures.waitInBatch)
        }
        pending.call.charge()
        connection.release(pending.call)
    }

    // MARK: Observers

    /// The parameters of `subscribe` at the owner, which sends no events but says when it is the turn of an agent.
    private static func params(of subscription: SubscriptionRequest) -> JSONValue {
        func names(_ names: [String]) -> JSONValue { .array(names.sorted().map { .string($0) }) }
        var members: [JSONMember] = []
        if !subscription.agents.isEmpty {
            members.append(
                JSONMember(name: "agent", value: names(subscription.agents.map(\.rawValue))))
        }
        if let kinds = subscription.kinds {
            members.append(JSONMember(name: "kinds", value: names(kinds.map(\.rawValue))))
        }
        if let name = subscription.name {
            members.append(JSONMember(name: "name", value: .string(name.string)))
        }
        if subscription.isPassive {
            members.append(JSONMember(name: "passive", value: .bool(true)))
        }
        if let products = subscription.products {
            members.append(JSONMember(name: "products", value: names(products.map(\.string))))
        }
        return .object(members)
    }

    /// Counts a subscription of this node at the owner, if orders start for it or questions wait for it.
    ///
    /// - Parameters:
    ///   - number: The subscription here.
    ///   - subscription: Its request.
    ///   - connection: Its connection.
    func mirror(
        _ number: SubscriptionID, _ subscription: SubscriptionRequest, of connection: Connection
    ) {
        let isAgent = !subscription.agents.isEmpty
        guard subscription.observes || subscription.isAsked || isAgent else { return }
        let client = links[connection.caller.number] ?? ClientLink(connection)
        links[connection.caller.number] = client
        let mirror = ClientLink.Mirror(params: Self.params(of: subscription))
        client.mirrors[number] = mirror
        if client.link != nil {
            begin(number, mirror, client)
        } else if isOpen(for: connection) {
            // A new link begins all of them.
            _ = open(for: connection)
        }
    }

    /// Counts the observers of a connection that the process before has left.
    func mirrorAll(of connection: Connection) {
        guard context.engine.isFollowing else { return }
        for subscription in connection.subscriptions {
            mirror(SubscriptionID(subscription.number), subscription.request, of: connection)
        }
    }

    /// Counts an observer at the owner no longer.
    func unmirror(_ subscription: SubscriptionID, of connection: Connection) {
        guard let client = links[connection.caller.number],
            let mirror = client.mirrors.removeValue(forKey: subscription)
        else { return }
        // Without a number its beginning is not answered yet; the link has no other use then.
        guard let remote = mirror.remote else { return end(client, wasOpen: true) }
        _ = client.send("unsubscribe", ["subscription": remote])
    }

    private func begin(
        _ subscription: SubscriptionID, _ mirror: ClientLink.Mirror, _ client: ClientLink
    ) {
        client.mirrors[subscription]?.remote = nil
        client.beginning[client.send("subscribe", mirror.params)] = subscription
    }

    /// Shows agents the questions at which it is their turn, as soon as this node has them and no call holds up the
    /// connection.
    private func showTurns(_ client: ClientLink) {
        guard let connection = client.connection else { return }
        let engine = context.engine
        client.turns.removeAll { subscription, turn in
            guard engine.currentTime < turn.end,
                let live = connection.subscriptions.first(where: {
                    SubscriptionID($0.number) == subscription
                })
            else { return true }
            guard connection.hasRoom, let question = engine.queue.openQuestion(turn.question)
            else { return false }
            let open = OpenQuestion(question: question, deadline: turn.end)
            connection.deliver(.question(open, position: live.previous), to: live)
            connection.flushDeliveries()
            return true
        }
        guard !client.turns.isEmpty else { return }
        context.loop.scheduleTask(in: Self.turnPause) { [weak self, weak client] in
            if let self, let client { showTurns(client) }
        }
    }

    // MARK: Ends

    /// Another node owns the queue, or this one does: observers are counted there.
    func ownerDidChange() {
        for client in Array(links.values) { reopen(client) }
    }

    /// Ends the link of a connection that is gone, or whose roles have changed.
    func close(_ connection: Connection) {
        guard let client = links.removeValue(forKey: connection.caller.number) else { return }
        if let wait = waits.removeValue(forKey: connection.caller.number) {
            context.engine.reader.cancel(wait)
        }
        end(client, wasOpen: true)
    }

    private func end(_ client: ClientLink, wasOpen: Bool) {
        end(client, because: wasOpen ? Self.outcomeUnknown : Failures.noOwner)
    }

    private func end(_ client: ClientLink, because error: ErrorObject) {
        answer(client)
        client.link?.close()
        client.link = nil
        client.beginning = [:]
        client.turns = []
        let calls = client.pending.sorted { $0.key < $1.key }.map(\.value.call)
        client.pending = [:]
        for call in calls {
            call.onAbandon = nil
            call.onCancel = nil
            call.fail(error)
        }
        // The owner may be the same, and does not count the observers any more.
        guard !client.mirrors.isEmpty else { return }
        context.loop.scheduleTask(in: Self.pause) { [weak self, weak client] in
            guard let self, let client, client.link == nil else { return }
            reopen(client)
        }
    }

    private func reopen(_ client: ClientLink) {
        guard let connection = client.connection, links[connection.caller.number] === client,
            !client.mirrors.isEmpty, isOpen(for: connection)
        else { return }
        _ = open(for: connection)
    }

    /// The owner went away without an answer. A call with a key may be repeated.
    private static let outcomeUnknown = ErrorCode.noOwner.object(
        message: "The node that owned the queue went away before it answered",
        effect: .unknown)
}
