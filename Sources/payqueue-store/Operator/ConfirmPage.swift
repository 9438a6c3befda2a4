import PaymentCore

/// The confirmation of an action: its object, its effects, and whether it can be undone.
struct ConfirmPage {
    let action: OperatorAction
    let title: String
    /// The object of the action.
    let facts: [(name: String, value: HTML)]
    /// The effects of the action, one sentence each.
    let effects: [String]
    /// How the action can be undone, or that it cannot.
    let undo: String
    var label: String?
    let token: String

    var content: HTML {
        let sentences: [HTML] = effects.map { "<li>\($0)</li>\n" }
        let kind: HTML = action.word.isDestructive ? "main danger" : "main"
        return """
            <div class="card">\(HTML.facts(facts))</div>
            <h2>What happens</h2>
            <ul>
            \(sentences)<li><strong>\(undo)</strong></li>
            </ul>
            <form method="post" action="/operate" class="actions">
            \(PageFrame.hidden(action, token: token))
            <button class="\(kind)">\(label ?? action.word.label)</button>
            <a class="button" href="\(action.page)">Cancel</a>
            </form>

            """
    }
}
