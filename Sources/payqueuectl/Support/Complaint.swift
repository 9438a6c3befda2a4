import PaymentClient
import StrictJSON

/// A failure and the advice for it, for people and for programs.
struct Complaint {
    /// The action, its object, and why it failed; without a full stop.
    let sentence: String
    /// The advice; without a full stop.
    let advice: String
    /// The status to end with.
    let status: ExitStatus
    /// The stable word of the failure: the daemon's, or that of the status.
    let kind: String
    /// The daemon's code; nil for failures on this side.
    var code: Int?
    /// Whether the same command can work later: `no`, `same` or `later`.
    let retry: String
    /// The changes that the command made: `none`, `done` or `unknown`.
    let effect: String
    /// Further members for programs: the daemon's data, or the key to repeat a purchase with.
    var data: JSONValue?

    /// The complaint about an error of the daemon.
    ///
    /// - Parameters:
    ///   - error: What the daemon answered.
    ///   - action: What was tried, to follow "cannot".
    ///   - help: What to type to learn what the command takes.
    init(_ error: RPCError, action: String, help: String) {
        sentence = ErrorText.sentence(for: error, action: action)
        advice = Advice.sentence(for: error, help: help)
        status = ExitStatus(error)
        kind = error.kind.isEmpty ? "error" : error.kind
        code = error.code
        retry = error.retry.rawValue
        effect = error.effect.rawValue
        data = error.data.members.map { members in
            .object(members.filter { !["kind", "retry", "effect"].contains($0.name) })
        }
    }

    /// The complaint about a daemon that was not reached, or did not answer.
    init(_ failure: ConnectionFailure, action: String, advice: String? = nil) {
        sentence = ErrorText.sentence(for: failure, action: action)
        self.advice = advice ?? failure.advice
        status = ExitStatus(failure)
        let isUnsent = failure.kind == .notConnected
        kind = Self.word(failure.kind)
        retry = isUnsent ? "later" : "same"
        effect = isUnsent ? "none" : "unknown"
    }

    /// The complaint about a command that could not do what it was asked.
    init(_ failure: CommandFailure) {
        sentence = failure.description
        advice = failure.advice
        status = failure.status
        kind = failure.kind ?? failure.status.kind
        retry = failure.status == .timeRanOut || failure.status == .noConnection ? "later" : "no"
        effect = failure.status == .timeRanOut ? "unknown" : "none"
        data = failure.data
    }

    /// The complaint with commands in its advice that talk to the same daemon.
    func reaching(_ connection: String) -> Complaint {
        Complaint(self, advice: Advice.reaching(advice, connection: connection))
    }

    /// The complaint with more for programs.
    func adding(_ more: JSONValue?) -> Complaint {
        guard let more = more?.members else { return self }
        var complaint = self
        let known = data?.members ?? []
        let names = Set(known.map(\.name))
        complaint.data = .object(known + more.filter { !names.contains($0.name) })
        return complaint
    }

    private init(_ other: Complaint, advice: String) {
        (sentence, self.advice, status) = (other.sentence, advice, other.status)
        (kind, code, retry, effect) = (other.kind, other.code, other.retry, other.effect)
        data = other.data
    }

    /// The lines for people: what is quoted from elsewhere cannot add one.
    var lines: [String] {
        // A sentence of the daemon may end in a question.
        let end = sentence.hasSuffix("?") ? "" : "."
        // An example can be copied to the end of the line.
        let stop = advice.contains("; an example: ") ? "" : "."
        return [
            "payqueuectl: \(ScreenText.plain(sentence))\(end)",
            "  Next: \(ScreenText.plain(advice))\(stop)",
        ]
    }

    /// The object for programs.
    var json: JSONValue {
        let members: [(String, JSONValue?)] = [
            ("kind", .string(kind)), ("code", code.map { .integer($0) } ?? .null),
            ("message", .string(sentence)), ("retry", .string(retry)),
            ("effect", .string(effect)), ("advice", .string(advice)),
            ("exitStatus", .integer(Int64(status.rawValue))),
            ("data", data?.members?.isEmpty == false ? data : nil),
        ]
        return .parameters(members) ?? .null
    }

    private static func word(_ kind: ConnectionFailure.Kind) -> String {
        switch kind {
        case .notConnected: "notConnected"
        case .timedOut: "timedOut"
        case .notUnderstood: "notUnderstood"
        default: "connectionLost"
        }
    }
}
