import PaymentAPI
import StrictJSON

/// The man page of a method of the contract.
struct MethodPage {
    let spec: MethodSpec

    /// The name of the page; the common prefix lets `man payqueued-add` find it.
    var name: String { "payqueued-\(spec.name)" }

    var text: String {
        var page = Roff(name: name, section: 7, summary: CommandPage.phrase(spec.summary))
        page.section("Synopsis")
        page.literal(["payqueuectl call \(words)", "", Help.request(spec)])
        page.section("Description")
        page.paragraphs(spec.description)
        parameters(&page)
        let members = Help.resultMembers(spec)
        if !members.isEmpty {
            page.section("Result")
            for member in members { page.term(member.name, member.meaning) }
        }
        page.section("Errors")
        for code in spec.errors {
            page.term("\(code.rawValue) \(code.kind)", "\(code.message).")
        }
        let common = Contract.commonErrors.map { "\($0.rawValue)" }.joined(separator: ", ")
        page.paragraph("Any call may also end in \(common).")
        page.section("Role")
        page.paragraphs(
            "Needs the role \(spec.role.rawValue)." + (spec.waits ? " May have to wait." : ""))
        page.section("Example")
        page.literal([Help.request(spec), spec.example.result.jsonText()])
        page.seeAlso([("payqueuectl-call", 1), ("payqueued", 8)])
        return page.text
    }

    /// The example as arguments of `payqueuectl call`.
    private var words: String {
        let parameters = (spec.example.params.members ?? []).map { member in
            Shell.quoted("\(member.name)=\(AnswerFilter.text(member.value))")
        }
        return ([spec.name.description] + parameters).joined(separator: " ")
    }

    private func parameters(_ page: inout Roff) {
        guard !spec.parameters.isEmpty else { return }
        page.section("Parameters")
        for parameter in spec.parameters {
            var meaning = parameter.isRequired ? "Required. " : ""
            meaning += "\(parameter.summary) Takes \(parameter.shape.expectation)."
            if let role = parameter.needs { meaning += " Needs the role \(role.rawValue)." }
            page.term(parameter.name.description, meaning)
        }
    }
}
