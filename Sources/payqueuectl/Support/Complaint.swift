import PaymentClient
import StrictJSON

/// A failure with its advice, for users and for programs.
struct Complaint {
    /// The action, its object and the cause, without a full stop.
    let sentence: String
    /// The advice, without a full stop.
    let advice: String
    /// The exit status.
    let status: ExitStatus
    /// The stable name of the failure: that of the daemon, or that of the status.
    let kind: String
    /// The error code of the daemon; nil for local failures.
    var code: Int?
    /// Whether the same command can work later: `no`, `same` or `later`.
    let retry: String
    /// The effect of the command: `none`, `done` or `unknown`.
    let effect: String
    /// Additional members for programs: the daemon's data, or the key for the repetition of a
    /// purchase.
    var data: JSONValue?

    /// The complaint for an error of the daemon.
    ///
    /// - Parameters:
    ///   - error: The error of the daemon.
    ///   - action: The attempted action, which follows "cannot".
    ///   - help: The command that shows the help.
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

    /// The complaint for a daemon that was not reachable or did not answer.
    init(_ failure: ConnectionFailure, action: String, advice: String? = nil) {
        sentence = ErrorText.sentence(for: failure, action: action)
        self.advice = advice ?? failure.advice
        status = ExitStatus(failure)
        let isUnsent = failure.kind == .notConnected
        kind = Self.word(failure.kind)
        retry = isUnsent ? "later" : "same"
        effect = isUnsent ? "none" : "unknown"
    }

    /// The complaint for a failed command.
    init(_ failure: CommandFailure) {
        sentence = failure.description
        advice = failure.advice
        status = failure.status
        kind = failure.kind ?? failure.status.kind
        let mayPass =
            failure.status == .timeRanOut
            || failure.status == .noConnection && kind != ExitStatus.unreadableKind
        retry = mayPass ? "later" : "no"
        effect = failure.effect ?? (failure.status == .timeRanOut ? "unknown" : "none")
        data = failure.data
    }

    /// The complaint with the connection options added to the commands in its advice.
    func reaching(_ connection: String) -> Complaint {
        Complaint(self, advice: Advice.reaching(advice, connection: connection))
    }

    /// The complaint with additional members for programs.
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

    /// The lines for users; quoted text cannot add a line.
    var lines: [String] {
        // A sentence of the daemon may end with a question mark.
        let end = sentence.hasSuffix("?") ? "" : "."
        // Without a full stop, the example can be copied to the end of the line.
        let stop = advice.contains("; an example: ") ? "" : "."
        return [
            "payqueuectl: \(ScreenText.plain(sentence))\(end)",
            "  Next: \(ScreenText.plain(advice))\(stop)",
        ]
    }

    /// The JSON object for programs.
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

    /// The stable name of a failed connection.
    static func word(_ kind: ConnectionFailure.Kind) -> String {
        switch kind {
        case .notConnected: "notConnected"
        case .timedOut: "timedOut"
        case .notUnderstood: "notUnderstood"
        default: "connectionLost"
        }
    }
}
