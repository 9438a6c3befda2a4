import PaymentAPI
import StrictJSON

/// The method reference of the documentation, written from the contract.
enum MethodReference {
    /// The page.
    static var page: String {
        var lines = [
            "# Methods", "",
            "Every method with its parameters, result, errors and an example.", "",
            "## Overview", "",
            "A test generates this page from the contract, like `help`, `rpc.discover` and the manual",
            "pages; `RECORD=1 make test` updates it. Every call may also fail with",
            Contract.commonErrors.map { "`\($0.rawValue)` \($0.message.lowercased())" }
                .joined(separator: ", ") + ".", "",
        ]
        for method in Contract.methods { lines += section(method.spec) }
        let kinds = InvalidParameters.Kind.allCases.map { "`\($0.rawValue)`" }
        lines += [
            "## Errors", "",
            "The kind of an error can be more precise than its code: `-32602` is one of",
            kinds.joined(separator: ", ") + ", and",
            "`-32700` and `-32600` name what is wrong with the line, such as `encoding`, `tooDeep` or",
            "`batchTooLarge`.", "", "| Code | Kind | Meaning | Retry |", "|---|---|---|---|",
        ]
        for code in ErrorCode.allCases {
            lines.append(
                "| `\(code.rawValue)` | `\(code.kind)` | \(code.message) | `\(code.retry.rawValue)` |"
            )
        }
        lines += ["", "## Notifications", "", "| Name | When |", "|---|---|"]
        for notification in Notification.all {
            lines.append("| `\(notification.name)` | \(notification.summary) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func section(_ spec: MethodSpec) -> [String] {
        let waits = spec.waits ? " It may have to wait." : ""
        var lines = [
            "### \(spec.name)", "", "\(spec.summary). \(spec.description)", "",
            "Needs the role `\(spec.role.rawValue)`.\(waits)", "",
        ]
        if !spec.parameters.isEmpty {
            lines += ["| Parameter | | Takes | Meaning |", "|---|---|---|---|"]
            lines += spec.parameters.map { parameter in
                let need = parameter.isRequired ? "required" : ""
                let takes = cell(parameter.shape.expectation)
                let role = parameter.needs.map { " Needs the role `\($0.rawValue)`." } ?? ""
                let meaning = cell(parameter.summary) + role
                return "| `\(parameter.name)` | \(need) | \(takes) | \(meaning) |"
            }
            lines.append("")
        }
        let members = Help.resultMembers(spec)
        if !members.isEmpty {
            lines += ["| Result | Meaning |", "|---|---|"]
            lines += members.map { "| `\($0.name)` | \(cell($0.meaning)) |" } + [""]
        }
        if !spec.errors.isEmpty {
            let errors = spec.errors.map { "`\($0.rawValue)` \($0.message.lowercased())" }
            lines += ["Errors: " + errors.joined(separator: ", ") + ".", ""]
        }
        return lines + ["```json", Help.request(spec), spec.example.result.jsonText(), "```", ""]
    }

    /// A text that stays in its cell.
    private static func cell(_ text: String) -> String {
        text.replacing("|", with: "\\|").replacing("<", with: "&lt;")
    }
}
