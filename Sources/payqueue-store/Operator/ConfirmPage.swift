import PaymentCore

/// The question before an action: what it does, to what, and whether it can be undone.
struct ConfirmPage {
    let action: OperatorAction
    /// The question.
    let title: String
    /// The object of the action.
    let facts: [(name: String, value: HTML)]
    /// The effects of the action, a sentence each.
    let effects: [String]
    /// How it can be taken back, or that it cannot.
    let undo: String
    /// The label of the button.
    var label: String?
    let token: String

    /// The content of the page.
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
