import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// The calls of one client that this node forwards to the owner of the queue.
///
/// The owner serves the link like a connection of the client, and sends three additional kinds of lines.
/// `committed` names the record up to which the replies before it are committed. `waiting` says that a call
/// waits for a person or the store, so that other calls need not wait for its reply. `turn` says that it is the
/// client's turn, as an agent, at a question.
final class ClientLink {
    /// A call whose client has no answer yet.
    final class Pending {
        let call: WaitingCall
        private let succeeded: (JSONValue) -> Void
        private let failed: (ErrorObject) -> Void
        /// Whether the owner has sent `waiting` for the call: other calls no longer wait for its reply.
        var isWaiting = false
        /// The owner's reply. The client gets it when this node has the records that the reply refers to.
        var reply: JSONValue?

        init(
            _ call: WaitingCall, succeed: @escaping (JSONValue) -> Void,
            fail: @escaping (ErrorObject) -> Void
        ) {
            self.call = call
            succeeded = succeed
            failed = fail
        }

        /// Answers the call with the owner's result.
        func succeed(_ result: JSONValue) {
            detach()
            succeeded(result)
        }

        /// Ends the call without a result of the owner.
        func fail(_ error: ErrorObject) {
            detach()
            failed(error)
        }

        /// Ends the call with the error in the owner's reply, or with `error` if there is none.
        func fail(otherwise error: ErrorObject) {
            fail(reply?["error"].flatMap { ErrorObject($0) } ?? error)
        }

        /// Removes the handlers that would cancel the call at the owner, because the call ends.
        private func detach() {
            call.onAbandon = nil
            call.onCancel = nil
        }
    }

    /// An observer of this node that the owner counts as well.
    struct Mirror {
        /// The parameters of `subscribe` at the owner.
        var params: JSONValue
        /// The number of its subscription at the owner; nil until the owner has replied.
        var remote: JSONValue?
        /// Whether the owner has refused it.
        var isRefused = false
    }

    /// The turn of an agent at a question.
    struct Turn {
        var question: QuestionID
        /// The end of the turn.
        var end: Timestamp

        init?(_ json: JSONValue) {
            guard let question = json["question"]?.stringValue.flatMap({ QuestionID($0) }),
                let end = json["until"]?.intValue
            else { return nil }
            self.question = question
            self.end = Timestamp(milliseconds: end)
        }
    }

    /// A line of the owner, by its meaning.
    enum Line {
        case reply(UInt64, JSONValue)
        case waiting(UInt64)
        case committed(SequenceNumber)
        case turn(Turn, of: JSONValue)
        /// An error without a call: the owner refuses the link, or a line of it.
        case refused(ErrorObject)
        case other

        init(_ bytes: [UInt8]) {
            guard var json = try? JSONValue(parsing: bytes) else {
                self = .other
                return
            }
            // The reply to a batch of one.
            if let batch = json.arrayValue, batch.count == 1 { json = batch[0] }
            if let position = json["committed"]?.intValue {
                self = .committed(SequenceNumber(clamping: position))
            } else if let remote = json["turn"], let turn = Turn(json) {
                self = .turn(turn, of: remote)
            } else if let call = json["waiting"]?.intValue {
                self = .waiting(UInt64(clamping: call))
            } else if let call = json["id"]?.intValue {
                self = .reply(UInt64(clamping: call), json)
            } else if let error = json["error"].flatMap({ ErrorObject($0) }) {
                self = .refused(error)
            } else {
                self = .other
            }
        }
    }

    weak var connection: Connection?
    var link: (any OwnerLink)?
    /// The number of links opened so far. Messages of an earlier link are ignored.
    var opened = 0
    var pending: [UInt64: Pending] = [:]
    /// The calls whose reply is not covered by a `committed` line yet, in the order of the replies.
    var answered: [UInt64] = []
    /// The calls before those in ``answered``. Their replies wait for the record in ``awaited``.
    private(set) var confirmed: [UInt64] = []
    /// The observers, by the numbers of their subscriptions here.
    var mirrors: [SubscriptionID: Mirror] = [:]
    /// The subscriptions whose `subscribe` call at the owner has no reply yet, by the numbers of the calls.
    var beginning: [UInt64: SubscriptionID] = [:]
    /// The turns of agents that have not been shown, by their subscriptions here.
    var turns: [(subscription: SubscriptionID, turn: Turn)] = []
    /// Whether a timer will try to show the turns again.
    var willShowTurns = false
    /// The last `unsubscribe` of a client that has left. The link ends with its reply.
    var farewell: UInt64?
    /// Whether the owner has served anything on this link.
    var isServed = false
    /// The record that replies wait for, and the time when the wait ends; see ``giveUp()``.
    var awaited: (position: SequenceNumber, limit: NIODeadline)?
    /// The wait for the next record, by its number at the engine's reader.
    var wait: UInt64?
    private var calls: UInt64 = 0

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Notes that a `committed` line covers all replies so far.
    func confirm() {
        confirmed += answered
        answered = []
    }

    /// Answers the calls whose records this node has.
    func answer() {
        for pending in takeConfirmed() {
            if let result = pending.reply?["result"] {
                pending.succeed(result)
            } else {
                pending.fail(otherwise: Failures.outcomeUnknown)
            }
        }
    }

    /// Ends the calls whose records do not arrive in time. A call may have taken effect, but this node does not
    /// show it.
    func giveUp() {
        for pending in takeConfirmed() {
            pending.fail(otherwise: Failures.outcomeUnknown)
        }
    }

    /// Ends all calls but the confirmed ones, because the link has ended.
    func failUnconfirmed(_ error: ErrorObject) {
        let kept = Set(confirmed)
        let left = pending.filter { !kept.contains($0.key) }.sorted { $0.key < $1.key }
        answered = []
        for (number, pending) in left {
            self.pending[number] = nil
            pending.fail(otherwise: error)
        }
    }

    private func takeConfirmed() -> [Pending] {
        defer {
            confirmed = []
            awaited = nil
        }
        return confirmed.compactMap { pending.removeValue(forKey: $0) }
    }

    /// Sends a call.
    ///
    /// - Parameters:
    ///   - method: Its method.
    ///   - params: Its parameters.
    ///   - isInBatch: Whether it is an element of a batch, for which the owner has other rules.
    /// - Returns: Its number on this link.
    func send(_ method: String, _ params: JSONValue?, isInBatch: Bool = false) -> UInt64 {
        calls += 1
        var writer = JSONWriter()
        if isInBatch { writer.raw("[") }
        writer.raw("{\"jsonrpc\":\"2.0\",\"id\":")
        writer.integer(calls)
        writer.raw(",\"method\":")
        writer.string(method)
        if let params {
            writer.raw(",\"params\":")
            writer.value(params)
        }
        writer.raw(isInBatch ? "}]" : "}")
        writer.endLine()
        link?.send(writer.bytes)
        return calls
    }
}

extension ErrorObject {
    /// Reads the error of a reply; nil if it is none.
    init?(_ json: JSONValue) {
        guard let code = json["code"]?.intValue, let message = json["message"]?.stringValue else {
            return nil
        }
        self.init(code: Int(code), message: message, data: json["data"]?.members ?? [])
    }
}

extension JSONWriter {
    /// Appends the line that names the record up to which the replies before it are committed.
    mutating func committed(_ position: SequenceNumber) {
        raw("{\"committed\":")
        integer(position)
        raw("}")
        endLine()
    }

    /// Appends the line that says that it is the client's turn, as an agent, at a question.
    mutating func turn(
        of subscription: SubscriptionID, at question: QuestionID, until end: Timestamp
    ) {
        raw("{\"turn\":")
        string("\(subscription)")
        raw(",\"question\":")
        string("\(question)")
        raw(",\"until\":")
        integer(end.milliseconds)
        raw("}")
        endLine()
    }

    /// Appends the line that says that a call waits for a person or the store.
    mutating func waiting(_ idBytes: [UInt8]) {
        raw("{\"waiting\":")
        raw(idBytes)
        raw("}")
        endLine()
    }
}

extension JSONValue {
    /// The parameters of `subscribe` at the owner. For this subscription the owner sends no events, only the
    /// turns of agents.
    init(of subscription: SubscriptionRequest) {
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
        self = .object(members)
    }
}

extension Failures {
    /// The error for a call whose owner went away without an answer. A call with a key may be repeated.
    static var outcomeUnknown: ErrorObject {
        ErrorCode.noOwner.object(
            message: "The node that owned the queue went away before it answered",
            effect: .unknown)
    }
}
