extension Checks {
    static let notableEvents = "Sources/payqueued/NotableEvent.swift"
    static let messageCatalogue = "systemd/payqueued.catalog"

    /// Every notable event is explained in the message catalogue, every explanation is about one, and
    /// every phrase is said somewhere else in the sources.
    static func eventsThatNobodyExplains(_ tree: SourceTree) -> [Finding] {
        guard let events = tree[notableEvents], let catalogue = tree[messageCatalogue] else {
            return [Finding(path: notableEvents, line: 1, message: "events or catalogue missing")]
        }
        let named = events.text.matches(of: #/case \w+ = "([0-9a-f]{32})"/#).map { String($0.1) }
        let explained = catalogue.text.matches(of: #/\n-- ([0-9a-f]{32})\n/#).map { String($0.1) }
        let phrases = events.text.matches(of: #/case \.\w+: "([^"]+)"/#).map { String($0.1) }
        var findings: [Finding] = []
        func complain(_ path: String, _ message: String) {
            findings.append(Finding(path: path, line: 1, message: message))
        }
        for id in Set(named).symmetricDifference(explained).sorted() {
            complain(messageCatalogue, "\(id) is not both an event and explained")
        }
        if Set(named).count != named.count || named.count != phrases.count {
            complain(notableEvents, "an id comes twice, or an event has no phrase")
        }
        let others = tree.files.filter { $0.target != nil && $0.path != notableEvents }
        for phrase in phrases where !others.contains(where: { $0.text.contains("\"\(phrase)\"") }) {
            complain(notableEvents, "nobody logs '\(phrase)'")
        }
        return findings
    }
}
