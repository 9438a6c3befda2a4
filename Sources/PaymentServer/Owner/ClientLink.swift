import JSONRPC
import PaymentAPI
import PaymentCore
import StrictJSON

/// The calls of one client at the owner of the queue.
///
/// The owner serves the link like a connection of the client. Three lines are more than that: `committed` says up to
/// which record the replies before it are committed; `waiting` says that a call waits for a person or the store, so
/// that other calls need not wait for its reply; `turn` says that it is the client's turn as an agent.
final class ClientLink {
    /// A call that has not been answered here.
    final class Pending {
        let call: WaitingCall
        let isInBatch: Bool
        /// Answers the call with what the owner has said.
        let succeed: (JSONValue) -> Void
        /// Whether it has given up its place.
        var isWaiting = false
        /// The owner's reply, which waits until this node has what it speaks of.
        var reply: JSONValue?

        init(
            _ call: WaitingCall, isInBatch: Bool, succeed: @escaping (JSONValue) -> Void
        ) {
            self.call = call
            self.isInBatch = isInBatch
            self.succeed = succeed
        }
    }

    /// An observer of this node that counts at the owner, too.
    struct Mirror {
        /// The parameters of `subscribe` at the owner.
        var params: JSONValue
        /// The number of its subscription there, once it is known.
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
        /// The owner refuses the whole link.
        case refused(ErrorObject)
        case other

        init(_ bytes: [UInt8]) {
            guard let json = try? JSONValue(parsing: bytes) else {
                self = .other
                return
            }
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
    /// How many links were opened. What comes from an earlier one is not looked at.
    var opened = 0
    var pending: [UInt64: Pending] = [:]
    /// The calls with a reply, in the order of the replies.
    var answered: [UInt64] = []
    /// The observers, by the numbers of their subscriptions here.
    var mirrors: [SubscriptionID: Mirror] = [:]
    /// The subscriptions whose beginning at the owner is not answered yet, by the numbers of the calls.
    var beginning: [UInt64: SubscriptionID] = [:]
    /// The turns of agents that have not been shown, by their subscriptions here.
    var turns: [(subscription: SubscriptionID, turn: Turn)] = []
    private var calls: UInt64 = 0

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Sends a call.
    ///
    /// - Returns: Its number on this link.
    func send(_ method: String, _ params: JSONValue?) -> UInt64 {
        calls += 1
        var writer = JSONWriter()
        writer.raw("{\"jsonrpc\":\"2.0\",\"id\":")
        writer.integer(calls)
        writer.raw(",\"method\":")
        writer.string(method)
        if let params {
            writer.raw(",\"params\":")
            writer.value(params)
        }
        writer.raw("}")
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
    /// Tells the node of a client up to which record the replies before this line are committed.
    mutating func committed(_ position: SequenceNumber) {
        raw("{\"committed\":")
        integer(position)
        raw("}")
        endLine()
    }

    /// Tells the node of a client that it is the client's turn as an agent.
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

    /// Tells the node of a client that a call has given up its place.
    mutating func waiting(_ idBytes: [UInt8]) {
        raw("{\"waiting\":")
        raw(idBytes)
        raw("}")
        endLine()
    }
}
