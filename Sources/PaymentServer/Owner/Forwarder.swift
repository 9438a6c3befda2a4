import JSONRPC
import Logging
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// Forwards the calls that this node refuses with `noOwner` to the node that owns the queue, and returns its
/// replies to the clients.
///
/// A forwarded call blocks its connection: later requests and events wait for its reply. The reply waits until
/// this node has the records that it refers to. A client therefore reads at this node what it has changed at
/// the owner.
final class Forwarder {
    private let dialer: any OwnerDialer
    private unowned let context: HandlerContext
    private var links: [UInt64: ClientLink] = [:]

    /// The time after which a forwarded call ends without an answer. It does not apply once the owner has sent
    /// `waiting` for the call.
    private static let patience = Duration.seconds(30)
    /// The pause before the owner is dialled again for observers, and before it is asked again to count an
    /// observer that it has refused.
    private static let pause = TimeAmount.seconds(1)
    /// The longest time that the link of a client that has left stays open.
    private static let farewellTime = TimeAmount.seconds(5)
    /// The pause before another attempt to show the turn of an agent.
    private static let turnPause = TimeAmount.milliseconds(20)
    /// The longest time that a reply waits until this node has its records.
    private static let lag = Duration.seconds(5)

    init(_ dialer: any OwnerDialer, _ context: HandlerContext) {
        self.dialer = dialer
        self.context = context
    }

    /// Whether the owner is known and can be dialled.
    var reachesOwner: Bool { dialer.isReachable }

    /// Whether calls of a connection can be forwarded now. Calls from other nodes are not forwarded: those
    /// nodes regard this one as the owner.
    func isOpen(for connection: Connection) -> Bool {
        context.engine.isFollowing && !connection.caller.isRemote && dialer.isReachable
    }

    // MARK: Calls

    /// Forwards a call unchanged. The call blocks its connection.
    func forward(
        _ method: String, _ params: JSONValue?, _ call: WaitingCall, isInBatch: Bool,
        of connection: Connection
    ) {
        let pending = ClientLink.Pending(
            call, succeed: { call.relay($0) }, fail: { call.fail($0) })
        forward(method, params, pending, isInBatch: isInBatch, of: connection)
    }

    /// Has the owner count a subscription and register its name, and then begins the subscription here. A
    /// subscription without a name begins even if the owner goes away; the next owner counts it.
    ///
    /// - Parameters:
    ///   - subscription: The request.
    ///   - call: The call, which blocks its connection.
    ///   - connection: The connection.
    ///   - begin: Begins the subscription here.
    func begin(
        _ subscription: SubscriptionRequest, _ call: WaitingCall, of connection: Connection,
        _ begin: @escaping () throws(ErrorObject) -> Subscribe.Result
    ) {
        let params = JSONValue(of: subscription)
        let end = { [self] (remote: JSONValue?) in
            do throws(ErrorObject) {
                let result = try begin()
                let client = client(of: connection)
                client.mirrors[result.subscription] = ClientLink.Mirror(
                    params: params, remote: remote)
                call.succeed(result)
            } catch {
                unsubscribe(remote, links[connection.caller.number])
                call.fail(error)
            }
        }
        let pending = ClientLink.Pending(
            call, succeed: { end($0["subscription"]) },
            fail: { error in
                guard subscription.name == nil, error.code == ErrorCode.noOwner.rawValue else {
                    return call.fail(error)
                }
                end(nil)
            })
        forward("\(Subscribe.spec.name)", params, pending, of: connection)
    }

    private func forward(
        _ method: String, _ params: JSONValue?, _ pending: ClientLink.Pending,
        isInBatch: Bool = false, of connection: Connection
    ) {
        let call = pending.call
        guard isOpen(for: connection), let client = open(for: connection) else {
            return pending.fail(Failures.noOwner)
        }
        let number = client.send(method, params, isInBatch: isInBatch)
        client.pending[number] = pending
        // Only the owner can decide whether the call can still be cancelled.
        call.onCancel = { [weak client] in
            _ = client?.send("cancel", ["id": .integer(Int64(number))])
        }
        call.onAbandon = { [weak client] in
            guard let client, client.pending.removeValue(forKey: number) != nil,
                client.connection?.isClosing == false
            else { return }
            _ = client.send("cancel", ["id": .integer(Int64(number))])
        }
        call.schedule(after: Self.patience, on: context.loop) { [weak self, weak client] in
            guard let self, let client, client.pending[number]?.isWaiting == false else { return }
            end(client, wasOpen: true)
        }
    }

    private func client(of connection: Connection) -> ClientLink {
        let client = links[connection.caller.number] ?? ClientLink(connection)
        links[connection.caller.number] = client
        return client
    }

    private func open(for connection: Connection) -> ClientLink? {
        let client = client(of: connection)
        if client.link != nil { return client }
        let caller = RemoteCaller(
            peer: connection.caller.peer, roles: connection.caller.roles.set,
            clientName: connection.caller.clientName)
        client.opened += 1
        client.isServed = false
        let bound = NIOLoopBound((self, client), eventLoop: context.eventLoop)
        client.link = dialer.dial(caller) {
            [eventLoop = context.eventLoop, number = client.opened] news in
            eventLoop.execute {
                let (forwarder, client) = bound.value
                if client.opened == number { forwarder.take(news, client) }
            }
        }
        guard client.link != nil else { return nil }
        for (subscription, mirror) in client.mirrors { begin(subscription, mirror, client) }
        return client
    }

    private func take(_ news: OwnerNews, _ client: ClientLink) {
        guard client.link != nil else { return }
        guard case .line(let bytes) = news else {
            if case .ended(let wasOpen) = news { end(client, wasOpen: wasOpen) }
            return
        }
        switch ClientLink.Line(bytes) {
        case .reply(let number, let json):
            client.isServed = true
            if number == client.farewell { return end(client, wasOpen: true) }
            if let subscription = client.beginning.removeValue(forKey: number) {
                counted(subscription, json, client)
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
        case .committed(let position):
            client.confirm()
            deliver(client, from: position)
        case .refused(let error):
            guard client.isServed else { return end(client, because: error) }
            // The owner cannot read a line. The error belongs to the call that blocks the connection.
            let held = client.pending.first { !$0.value.isWaiting && $0.value.reply == nil }
            guard let held else { return }
            client.pending[held.key] = nil
            held.value.fail(error)
        case .other: break
        }
    }

    /// Stores the number of a subscription at the owner. Ends the subscription there if it has ended here
    /// meanwhile.
    private func counted(_ subscription: SubscriptionID, _ json: JSONValue, _ client: ClientLink) {
        let remote = json["result"]?["subscription"]
        guard client.mirrors[subscription] != nil else {
            unsubscribe(remote, client)
            return
        }
        client.mirrors[subscription]?.remote = remote
        if let error = json["error"] { refuse(subscription, error, client) }
    }

    /// Ends a subscription at the owner. Without a number, the owner has not replied to `subscribe` yet; the reply
    /// then ends it.
    ///
    /// - Returns: The number of the call; nil if there is nothing to end.
    @discardableResult
    private func unsubscribe(_ remote: JSONValue?, _ client: ClientLink?) -> UInt64? {
        guard let remote, let client, client.link != nil else { return nil }
        return client.send("unsubscribe", ["subscription": remote])
    }

    /// Asks the owner again, after a pause, to count an observer. It refuses one, for example, while a former
    /// link still has the observer's name.
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

    /// Returns the confirmed replies to the client when this node has the records up to a position.
    private func deliver(_ client: ClientLink, from position: SequenceNumber) {
        guard !client.confirmed.isEmpty else { return }
        let engine = context.engine
        let limit = client.awaited?.limit ?? .now() + TimeAmount(Self.lag)
        guard engine.durableHead < position, engine.isFollowing else { return client.answer() }
        if client.awaited == nil {
            // A node that receives no records cannot show what the replies acknowledge.
            context.loop.scheduleTask(deadline: limit) { [weak client] in
                if let client, client.awaited?.limit == limit { client.giveUp() }
            }
        }
        client.awaited = (position, limit)
        if let former = client.wait { engine.reader.cancel(former) }
        client.wait = engine.reader.waitForRecord(after: engine.durableHead) {
            [weak self, weak client] in
            guard let self, let client else { return }
            client.wait = nil
            if let awaited = client.awaited { deliver(client, from: awaited.position) }
        }
    }

    /// Lets other calls of the connection run while a call waits for a person or the store.
    private func release(_ number: UInt64, _ client: ClientLink) {
        guard let pending = client.pending[number], pending.reply == nil,
            let connection = client.connection
        else { return }
        pending.isWaiting = true
        let limit = context.limits.waitingCalls
        guard connection.requests.calls.count <= limit else {
            return pending.call.cancel(Failures.limit(.tooManyInFlight, limit))
        }
        pending.call.charge()
        connection.release(pending.call)
    }

    // MARK: Observers

    /// Has the owner count a subscription of this node, if orders start for it or questions wait for it.
    ///
    /// - Parameters:
    ///   - number: The subscription here.
    ///   - subscription: Its request.
    ///   - connection: Its connection.
    func mirror(
        _ number: SubscriptionID, _ subscription: SubscriptionRequest, of connection: Connection
    ) {
        guard subscription.counts else { return }
        let client = client(of: connection)
        let mirror = ClientLink.Mirror(params: JSONValue(of: subscription))
        client.mirrors[number] = mirror
        if client.link != nil {
            begin(number, mirror, client)
        } else if isOpen(for: connection) {
            // A new link begins all of them.
            _ = open(for: connection)
        }
    }

    /// Has the owner count the observers of a connection that the previous process left.
    func mirrorAll(of connection: Connection) {
        guard context.engine.isFollowing else { return }
        for subscription in connection.subscriptions {
            mirror(SubscriptionID(subscription.number), subscription.request, of: connection)
        }
    }

    /// The name that a subscription has at the owner.
    func name(of number: SubscriptionID, of connection: Connection) -> OpaqueText? {
        let mirror = links[connection.caller.number]?.mirrors[number]
        guard let mirror, !mirror.isRefused else { return nil }
        return mirror.params["name"]?.stringValue.map { OpaqueText($0) }
    }

    /// Ends the subscriptions at the owner whose counterparts on a connection have ended.
    func unmirrorEnded(of connection: Connection) {
        guard let client = links[connection.caller.number] else { return }
        let live = Set(connection.subscriptions.map { SubscriptionID($0.number) })
        for (number, mirror) in client.mirrors where !live.contains(number) {
            client.mirrors[number] = nil
            unsubscribe(mirror.remote, client)
        }
    }

    private func begin(
        _ subscription: SubscriptionID, _ mirror: ClientLink.Mirror, _ client: ClientLink
    ) {
        client.mirrors[subscription]?.remote = nil
        client.beginning[client.send("subscribe", mirror.params)] = subscription
    }

    /// Shows agents the questions at which it is their turn, as soon as this node has the questions and no call
    /// blocks the connection.
    private func showTurns(_ client: ClientLink) {
        // A delivery may find that the connection is closed. That ends the link and its turns.
        let turns = client.turns
        client.turns = []
        let left = turns.filter { !isShown($0.turn, $0.subscription, client) }
        guard client.link != nil else { return }
        client.turns = left + client.turns
        guard !client.turns.isEmpty, !client.willShowTurns else { return }
        client.willShowTurns = true
        context.loop.scheduleTask(in: Self.turnPause) { [weak self, weak client] in
            guard let self, let client else { return }
            client.willShowTurns = false
            showTurns(client)
        }
    }

    /// Shows a turn. False if it must be tried again; true also if the turn or its subscription has ended.
    private func isShown(
        _ turn: ClientLink.Turn, _ subscription: SubscriptionID, _ client: ClientLink
    ) -> Bool {
        let engine = context.engine
        guard engine.currentTime < turn.end, let connection = client.connection,
            let live = connection.subscriptions.first(where: {
                SubscriptionID($0.number) == subscription
            })
        else { return true }
        guard connection.hasRoom, let question = engine.queue.openQuestion(turn.question) else {
            return false
        }
        let open = OpenQuestion(question: question, deadline: turn.end)
        connection.deliver(.question(open, position: live.previous), to: live)
        connection.flushDeliveries()
        return true
    }

    // MARK: Ends

    /// Called when the owner has changed. If it is another node, it counts the observers from now on.
    func ownerDidChange() {
        for client in Array(links.values) { reopen(client) }
    }

    /// Opens the link of a client again, because the roles of the client have changed.
    func redial(for connection: Connection) {
        guard let client = links[connection.caller.number] else { return }
        end(client, wasOpen: true)
        reopen(client)
    }

    /// Ends the link of a connection that is gone.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - hasLeft: Whether its client has left. Otherwise this node stops, and the owner leaves open the questions to
    ///     the client until it is back.
    func close(_ connection: Connection, hasLeft: Bool) {
        guard let client = links.removeValue(forKey: connection.caller.number) else { return }
        if let wait = client.wait { context.engine.reader.cancel(wait) }
        let last =
            hasLeft
            ? client.mirrors.values.compactMap { unsubscribe($0.remote, client) }.max() : nil
        guard let last else { return end(client, wasOpen: true) }
        // The owner drops lines that it has not run when the link ends.
        client.farewell = last
        context.loop.scheduleTask(in: Self.farewellTime) { [self] in
            end(client, wasOpen: true)
        }
    }

    private func end(_ client: ClientLink, wasOpen: Bool) {
        end(client, because: wasOpen ? Failures.outcomeUnknown : Failures.noOwner)
    }

    private func end(_ client: ClientLink, because error: ErrorObject) {
        client.link?.close()
        client.link = nil
        client.beginning = [:]
        client.turns = []
        client.failUnconfirmed(error)
        // The owner may be the same, but it no longer counts the observers of this link.
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
}
