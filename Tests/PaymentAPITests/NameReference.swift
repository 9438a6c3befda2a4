import PaymentAPI

/// The table of familiar names in the documentation, written from the list of them.
enum NameReference {
    /// The heading that the table begins with.
    static let start = "### Names\n"
    /// The heading behind the table.
    static let end = "### What is different\n"

    /// The section with the table.
    static var section: String {
        var lines = [
            "### Names", "",
            "The names of the payment queues of StoreKit and OnsideKit, and their equivalents. The",
            "daemon uses the same list: errors about an unknown method, parameter or word name the",
            "equivalent, and so does `payqueuectl help NAME`. A test generates this section from the",
            "list (`RECORD=1 make test`).",
            "",
        ]
        for group in FamiliarNames.groups {
            lines += [
                "#### \(group.title)", "", "| StoreKit | OnsideKit | Here |", "|---|---|---|",
            ]
            lines += group.names.map { name in
                "| \(cell(name.storeKit)) | \(cell(name.onsideKit)) | \(name.here(quote: "`")) |"
            }
            lines.append("")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func cell(_ names: [String]) -> String {
        guard !names.isEmpty else { return "–" }
        return names.map { $0.contains(" ") && !$0.contains("(") ? $0 : "`\($0)`" }
            .joined(separator: ", ")
    }
}
