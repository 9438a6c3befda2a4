import StrictJSON

/// Who observes, as a table.
enum ObserverText {
    /// The lines for an answer to `observers`.
    static func lines(_ answer: JSONValue) -> [String] {
        var table = TextTable("OBSERVER", "USER", "LAG", "STANDING", "SEES")
        for observer in answer["observers"]?.arrayValue ?? [] {
            let lag = observer["lag"]?.intValue ?? 0
            table.add([
                .init(name(observer), .strong),
                .init(observer["uid"]?.intValue.map { "\($0)" } ?? ""),
                .init("\(lag)", lag > 1000 ? .bad : nil), standing(observer),
                .init(interests(observer)),
            ])
        }
        return table.lines(ifEmpty: "Nobody observes.")
    }

    private static func name(_ observer: JSONValue) -> String {
        observer["name"]?.stringValue ?? observer["client"]?.stringValue
            ?? observer["subscription"]?.stringValue ?? "?"
    }

    private static func standing(_ observer: JSONValue) -> TextTable.Cell {
        guard observer["connected"]?.boolValue == true else { return .init("away", .busy) }
        return observer["passive"]?.boolValue == true ? .init("watches") : .init("observes", .good)
    }

    private static func interests(_ observer: JSONValue) -> String {
        let products = observer["products"]?.arrayValue?.map(AnswerFilter.text) ?? []
        let kinds = observer["kinds"]?.arrayValue?.map(AnswerFilter.text) ?? []
        let agents = observer["agent"]?.arrayValue?.map(AnswerFilter.text) ?? []
        let parts = products + kinds + agents.map { "agent for \($0)" }
        return parts.isEmpty ? "everything" : parts.joined(separator: " ")
    }
}
