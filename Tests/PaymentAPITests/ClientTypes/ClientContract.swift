import StrictJSON

/// The contract as named types, from which the generated files of the client libraries are written.
///
/// It is read from the OpenRPC document alone, so nothing is in a client that a daemon does not tell.
struct ClientContract: Sendable {
    /// The type of a value.
    indirect enum Kind: Sendable {
        case text, flag, integer, number, any, map
        /// One of some words, by the name of the list.
        case words(String)
        case list(Kind)
        /// A record, by its name.
        case record(String)
        case nullable(Kind)
        case either([Kind])
    }

    struct Field: Sendable {
        let name: String
        let summary: String
        let kind: Kind
        let isRequired: Bool
    }

    struct Record: Sendable {
        let name: String
        let summary: String
        let fields: [Field]
        /// Whether a client sends it. What a client sends is closed, what it gets may grow.
        let isInput: Bool
    }

    struct Words: Sendable {
        let name: String
        let words: [String]
    }

    struct Call: Sendable {
        let name: String
        let summary: String
        let description: String
        let parameters: Record
        let result: Kind
        let behaviour: CallBehaviour
    }

    struct Failure: Sendable {
        let code: String
        let kind: String
        let message: String
    }

    struct Notice: Sendable {
        let name: String
        let summary: String
        let record: String
    }

    private(set) var records: [Record] = []
    private(set) var words: [Words] = []
    private(set) var calls: [Call] = []
    private(set) var failures: [Failure] = []
    private(set) var notices: [Notice] = []
    /// The release that the document is of.
    let version: String

    /// Reads a document of `rpc.discover`.
    init(document: JSONValue) {
        version = document["info"]?["version"]?.stringValue ?? ""
        for schema in document["components"]?["schemas"]?.members ?? [] {
            record(schema.name, schema.value, summary: Self.components[schema.name] ?? "")
        }
        for notice in document["x-notifications"]?.arrayValue ?? [] { read(notice: notice) }
        for method in document["methods"]?.arrayValue ?? [] { read(method: method) }
        failures.sort { (Int($0.code) ?? 0) > (Int($1.code) ?? 0) }
    }

    /// The calls that a program makes by itself; the others belong to a connection.
    var typedCalls: [Call] { calls.filter { !CallBehaviour.ofConnections.contains($0.name) } }

    /// The calls that are not controls of the sandbox.
    var plainCalls: [Call] { typedCalls.filter { !$0.name.hasPrefix("test.") } }

    /// The controls of the sandbox.
    var controls: [Call] { typedCalls.filter { $0.name.hasPrefix("test.") } }

    /// A record by its name.
    func record(named name: String) -> Record? { records.first { $0.name == name } }

    private mutating func read(notice: JSONValue) {
        let name = notice["name"]?.stringValue ?? ""
        let summary = notice["summary"]?.stringValue ?? ""
        let record = Self.pascal(name) + "Notice"
        self.record(record, notice["params"] ?? [:], summary: summary + ".")
        notices.append(Notice(name: name, summary: summary, record: record))
    }

    private mutating func read(method: JSONValue) {
        let name = method["name"]?.stringValue ?? ""
        let base = Self.pascal(name)
        var fields = (method["params"]?.arrayValue ?? []).map { parameter in
            Field(
                name: parameter["name"]?.stringValue ?? "",
                summary: parameter["description"]?.stringValue ?? "",
                kind: kind(
                    parameter["schema"] ?? [:], base, parameter["name"]?.stringValue ?? "",
                    isInput: true),
                isRequired: parameter["required"] == true)
        }
        if method["x-role"] != "observe", !name.hasPrefix("test.") {
            fields.append(
                Field(
                    name: "trace",
                    summary: "A trace context, echoed in the records that the call causes.",
                    kind: .text, isRequired: false))
        }
        let parameters = Record(
            name: base + "Params", summary: "The parameters of `\(name)`.", fields: fields,
            isInput: true)
        if !fields.isEmpty { records.append(parameters) }
        let schema = method["result"]?["schema"] ?? [:]
        var result = kind(schema, base, "", isInput: false)
        if schema["properties"] != nil {
            record(base + "Result", schema, summary: "The answer to `\(name)`.")
            result = .record(base + "Result")
        }
        calls.append(
            Call(
                name: name, summary: method["summary"]?.stringValue ?? "",
                description: method["description"]?.stringValue ?? "", parameters: parameters,
                result: result,
                behaviour: CallBehaviour(
                    of: name, hasKey: fields.contains { $0.name == "key" },
                    waits: method["x-waits"] == true)))
        for error in method["errors"]?.arrayValue ?? [] { read(error: error) }
    }

    private mutating func read(error: JSONValue) {
        let code = error["code"]?.jsonText() ?? ""
        guard !failures.contains(where: { $0.code == code }) else { return }
        failures.append(
            Failure(
                code: code, kind: error["data"]?["kind"]?.stringValue ?? "",
                message: error["message"]?.stringValue ?? ""))
    }

    private mutating func record(
        _ name: String, _ schema: JSONValue, summary: String, isInput: Bool = false
    ) {
        var fields: [Field] = []
        for part in schema["allOf"]?.arrayValue ?? [schema] {
            if let reference = part["$ref"]?.stringValue.map(Self.lastPart) {
                fields += record(named: reference)?.fields ?? []
            }
            let required = part["required"]?.arrayValue ?? []
            let owner = Self.withoutSuffix(name)
            for property in part["properties"]?.members ?? [] {
                fields.append(
                    Field(
                        name: property.name,
                        summary: property.value["description"]?.stringValue
                            ?? "`\(property.name)`, as OpenRPC defines it.",
                        kind: kind(property.value, owner, property.name, isInput: isInput),
                        isRequired: required.contains { $0.stringValue == property.name }))
            }
        }
        precondition(record(named: name) == nil, "two records are called \(name)")
        records.append(Record(name: name, summary: summary, fields: fields, isInput: isInput))
    }

    /// The type of a schema that stands at a member of an owner; records and words get names.
    private mutating func kind(
        _ schema: JSONValue, _ owner: String, _ member: String, isInput: Bool
    ) -> Kind {
        if let reference = schema["$ref"]?.stringValue { return .record(Self.lastPart(reference)) }
        if let parts = schema["allOf"]?.arrayValue {
            return kind(parts[0], owner, member, isInput: isInput)
        }
        if let parts = schema["oneOf"]?.arrayValue ?? schema["anyOf"]?.arrayValue {
            let others = parts.filter { $0["type"] != "null" }
                .map { kind($0, owner, member, isInput: isInput) }
            let one = others.count == 1 ? others[0] : Kind.either(others)
            return others.count == parts.count ? one : .nullable(one)
        }
        switch schema["type"]?.stringValue {
        case "string":
            return schema["enum"] == nil ? .text : .words(words(schema, owner, member))
        case "boolean": return .flag
        case "integer": return .integer
        case "number": return .number
        case "array":
            let one = member.hasSuffix("s") ? String(member.dropLast()) : member
            return .list(
                schema["items"].map { kind($0, owner, one, isInput: isInput) } ?? .any)
        case "object" where schema["properties"] != nil && !member.isEmpty:
            let name = Self.joined(owner, member)
            record(name, schema, summary: "Part of `\(owner)`.", isInput: isInput)
            return .record(name)
        case "object": return .map
        default: return .any
        }
    }

    /// The name of a list of words: that of its first place.
    private mutating func words(_ schema: JSONValue, _ owner: String, _ member: String) -> String {
        let list = schema["enum"]?.arrayValue?.compactMap(\.stringValue) ?? []
        if let known = words.first(where: { $0.words == list }) { return known.name }
        var name = Self.names["\(owner).\(member)"] ?? Self.joined(owner, member)
        while words.contains(where: { $0.name == name }) || record(named: name) != nil {
            name += "Input"
        }
        words.append(Words(name: name, words: list))
        return name
    }
}

extension ClientContract {
    /// Names that say more than that of the first place.
    private static let names = [
        "Transaction.waitingFor": "WaitingFor", "Transaction.offer": "OfferKind",
        "Transaction.removalReason": "RemovalReason", "Event.type": "QuestionType",
        "Status.state": "DaemonState", "Transactions.state": "TransactionFilter",
        "TestSettingsSimulatedErrors.products": "SimulatedError",
        "TestSetSimulatedErrors.products": "SimulatedCatalogueError",
        "TestSetSimulatedErrors.purchase": "SimulatedStoreError",
        "TestSetSimulatedErrors.login": "SimulatedLoginError",
    ]

    /// The meaning of the shapes that several methods share.
    private static let components = [
        "Transaction": "The queue's record of one payment.",
        "Payment": "The payment that was requested.",
        "Product": "A product of the store.",
        "Price": "The price of a product. `amount` is exact, `value` is for display only.",
        "Period": "A span of time, in whole units.",
        "Offer": "A price for a first period, or a discount.",
        "Storefront": "The country whose prices apply.",
        "Origin": "The client that caused a record.",
        "Event": "A record of the log. Which members it has depends on `kind`.",
        "TestSettings": "The settings of the sandbox.",
        "Order": "The sandbox's record of a payment.",
        "Restore": "A restore and its state.",
        "TestClock": "The sandbox's clock.",
        "Charge": "The exact amount that the store charged; `0.00` if it was free.",
        "Revocation": "The time and reason of a refund or revocation.",
    ]

    /// `test.clock.get` as `TestClockGet`.
    static func pascal(_ name: String) -> String {
        name.split { $0 == "." || $0 == "-" || $0 == " " }
            .map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// `appAccountToken` as `app_account_token`.
    static func snake(_ name: String) -> String {
        name.reduce(into: "") { text, letter in
            if letter.isUppercase, !text.isEmpty, text.last != "_" { text += "_" }
            text += letter == "." || letter == "-" ? "_" : letter.lowercased()
        }
    }

    private static func lastPart(_ reference: String) -> String {
        String(reference.split(separator: "/").last ?? "")
    }

    /// `Hello` for the members of `HelloResult`, which would be a mouthful.
    private static func withoutSuffix(_ name: String) -> String {
        for suffix in ["Result", "Params", "Notice"] where name.hasSuffix(suffix) {
            return String(name.dropLast(suffix.count))
        }
        return name
    }

    /// `HelloPeer` for `peer` of `Hello`; `Question` for one of `questions` of `Questions`.
    private static func joined(_ owner: String, _ member: String) -> String {
        let name = pascal(member)
        return name.hasPrefix(owner) || owner == name + "s" ? name : owner + name
    }
}
