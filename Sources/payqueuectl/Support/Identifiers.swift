import PaymentClient
import StrictJSON

/// Ids on the command line: complete, or a unique prefix.
struct Identifiers {
    /// The kinds of ids. The raw value is the parameter that carries the id.
    enum Kind: String, CaseIterable {
        case transaction
        case order
        case question
        case restore
    }

    /// An object that a prefix may mean.
    struct Candidate: Equatable {
        let id: String
        /// A description that distinguishes it, such as product and state.
        let about: String
    }

    /// The minimum length of a prefix; shorter ones often match several ids.
    static let fewest = 6
    /// The length of a complete id, a UUID.
    private static let whole = 36

    private let daemon: PaymentConnection
    private let timeout: Duration

    init(_ daemon: PaymentConnection, timeout: Duration) {
        self.daemon = daemon
        self.timeout = timeout
    }

    /// Whether `text` can be an incomplete prefix of an id.
    static func isBeginning(_ text: String) -> Bool {
        (fewest..<whole).contains(text.utf8.count)
            && text.allSatisfy { $0 == "-" || $0.isHexDigit && !$0.isUppercase }
    }

    /// The candidate whose id begins with `text`; nil if there is none.
    ///
    /// - Throws: ``CommandFailure`` with the list of candidates if there are several.
    static func choose(
        _ text: String, _ kind: Kind, from candidates: [Candidate], action: String
    ) throws(CommandFailure) -> String? {
        let fitting = candidates.filter { $0.id.hasPrefix(text) }
        guard fitting.count > 1 else { return fitting.first?.id }
        let shown = fitting.prefix(8).map { "\($0.id) (\($0.about))" }.joined(separator: ", ")
        let more = fitting.count > 8 ? " and \(fitting.count - 8) more" : ""
        throw CommandFailure(
            .refused,
            "cannot \(action): '\(text)' matches \(fitting.count) \(kind.rawValue)s: "
                + "\(shown)\(more)",
            advice: "type more of the id", kind: "ambiguous",
            data: .parameters([("candidates", .texts(fitting.map(\.id)))]))
    }

    /// The complete id for a prefix. Text that is not a known prefix stays unchanged, and the
    /// daemon refuses it.
    func resolve(_ text: String, _ kind: Kind, action: String) async throws -> String {
        guard Self.isBeginning(text) else { return text }
        for candidates in candidates(kind, for: text) {
            let found = try Self.choose(text, kind, from: try await candidates(), action: action)
            if let found { return found }
        }
        return text
    }

    /// The parameters of a method with complete ids.
    func resolved(
        _ params: JSONValue?, of method: String, action: String
    ) async throws -> JSONValue? {
        guard case .object(var members) = params else { return params }
        for (index, member) in members.enumerated() {
            if method == "transactions", member.name == "ids", let ids = member.value.arrayValue {
                var whole = ids
                for (place, id) in ids.enumerated() {
                    guard let text = id.stringValue else { continue }
                    whole[place] = .string(try await resolve(text, .transaction, action: action))
                }
                members[index] = JSONMember(name: member.name, value: .array(whole))
                continue
            }
            guard let kind = Kind(rawValue: member.name), let text = member.value.stringValue
            else { continue }
            let id = try await resolve(text, kind, action: action)
            members[index] = JSONMember(name: member.name, value: .string(id))
        }
        return .object(members)
    }

    /// The lists to search in order: objects in the queue precede those that have left it.
    private func candidates(_ kind: Kind, for text: String) -> [() async throws -> [Candidate]] {
        switch kind {
        case .transaction:
            [nil, ["finished"]].map { states in
                { try await transactions(states, beginning: text) }
            }
        case .order:
            [orders]
        case .question:
            [{ try await list("questions", "questions", id: "question") { $0["type"] } }]
        case .restore:
            [{ try await list("status", "restores", id: "id") { $0["state"] } }]
        }
    }

    private func transactions(
        _ states: [String]?, beginning text: String
    ) async throws -> [Candidate] {
        let wanted = states.flatMap { JSONValue.texts($0) }
        return try await list(
            "transactions", "transactions", id: "id", ("states", wanted), ("search", .string(text))
        ) {
            $0["payment"]?["product"]?["productIdentifier"]
        }
    }

    /// The orders of the sandbox; the daemon refuses the call with other stores.
    private func orders() async throws -> [Candidate] {
        do {
            return try await list("test.orders", "orders", id: "order") { $0["product"] }
        } catch is RPCError {
            return []
        }
    }

    private func list(
        _ method: String, _ member: String, id: String, _ wanted: (String, JSONValue?)...,
        about: (JSONValue) -> JSONValue?
    ) async throws -> [Candidate] {
        var found: [Candidate] = []
        var page: JSONValue?
        repeat {
            let answer = try await daemon.call(
                method, .parameters(wanted + [("page", page)]), timeout: timeout)
            found += (answer[member]?.arrayValue ?? []).compactMap { value in
                guard let id = value[id]?.stringValue else { return nil }
                let state = value["transactionState"] ?? value["state"]
                let words = [about(value), state].compactMap { $0?.stringValue.map(Wording.of) }
                return Candidate(id: id, about: words.joined(separator: ", "))
            }
            page = answer["next"]
        } while page != nil
        return found
    }
}
