import StrictJSON

/// The observers as a table.
enum ObserverText {
    /// The lines for an answer to `observers`.
    static func lines(_ answer: JSONValue, width: Int? = nil) -> [String] {
        var table = TextTable(.text("OBSERVER"), "UID", "LAG", "STATE", .text("EVENTS"))
        for observer in answer["observers"]?.arrayValue ?? [] {
            let lag = observer["lag"]?.intValue ?? 0
            table.add([
                .init(name(observer), .strong),
                .init(observer["uid"]?.intValue.map { "\($0)" } ?? ""),
                .init("\(lag)", lag > 1000 ? .bad : nil), standing(observer),
                .init(interests(observer)),
            ])
        }
        return table.lines(ifEmpty: "No observers.", width: width)
    }

    /// The name of a connected observer, other than this tool, that receives purchases of a
    /// product; nil if there is none.
    static func worker(for product: String, in answer: JSONValue) -> String? {
        let found = (answer["observers"]?.arrayValue ?? []).first { observer in
            let products = observer["products"]?.arrayValue ?? []
            let kinds = observer["kinds"]?.arrayValue ?? []
            return observer["connected"]?.boolValue == true
                && observer["passive"]?.boolValue != true
                && observer["client"]?.stringValue != OwnProgram.name
                && (products.isEmpty || products.contains(.string(product)))
                && (kinds.isEmpty || kinds.contains("transactionsUpdated"))
        }
        return found.map(name)
    }

    private static func name(_ observer: JSONValue) -> String {
        observer["name"]?.stringValue ?? observer["client"]?.stringValue
            ?? observer["subscription"]?.stringValue ?? "?"
    }

    private static func standing(_ observer: JSONValue) -> TextTable.Cell {
        guard observer["connected"]?.boolValue == true else { return .init("disconnected", .busy) }
        return observer["passive"]?.boolValue == true ? .init("passive") : .init("active", .good)
    }

    private static func interests(_ observer: JSONValue) -> String {
        let products = observer["products"]?.arrayValue?.map(AnswerFilter.text) ?? []
        let kinds = observer["kinds"]?.arrayValue?.map(AnswerFilter.text) ?? []
        let agents = observer["agent"]?.arrayValue?.map(AnswerFilter.text) ?? []
        let parts = products + kinds + agents.map { "agent for \($0)" }
        return parts.isEmpty ? "all" : parts.joined(separator: " ")
    }
}
