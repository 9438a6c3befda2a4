/// Phrases that user texts do not use, each with a better one: those that make a person of a program,
/// and those that read as translated. The only list of them; `CONTRIBUTING.md` points here.
struct WordList {
    /// Some wordings of one phrase.
    struct Phrase {
        let wordings: [String]
        let better: String
        /// Longer phrases that hold a wording and are good English.
        let fine: [String]

        init(_ wordings: String..., better: String, fine: [String] = []) {
            self.wordings = wordings
            self.better = better
            self.fine = fine
        }
    }

    static let house = WordList([
        Phrase("nobody", "nobody's", better: "no client, no account, no one, or the passive"),
        Phrase("somebody", "somebody's", better: "the user, client or program that it is"),
        Phrase("everybody", "everybody's", better: "all users, everyone"),
        Phrase("whoever", "whosoever", better: "any client that, anyone who"),
        Phrase("for ever", better: "forever"),
        Phrase(
            "is told", "are told", "was told", "were told", "be told", "been told", "being told",
            better: "receives, is notified, is reported to"),
        Phrase("tells its", "tell its", better: "reports its"),
        Phrase("tells how", "tells what", "tells why", better: "describes, explains, shows"),
        Phrase("says how", "say how", "says why", "say why", better: "shows, explains, gives"),
        Phrase("wants a person", "wants somebody", better: "a person must act"),
        Phrase(
            "takes it back", "take it back", "takes this back", "takes that back",
            better: "undoes it, resumes"),
        Phrase(
            "what is asked", "what was asked", "what it was asked", "asked of it",
            better: "the request"),
        Phrase("none of this", better: "no, nothing"),
        Phrase(
            "is no", "are no", "was no", "were no", better: "is not a",
            fine: [
                "there is no", "there are no", "there was no", "there were no", "is no longer",
                "are no longer", "was no longer", "were no longer", "is no more than", "is no less",
            ]),
        Phrase(
            "is none", "are none", "was none", "were none", better: "is not one",
            fine: ["there is none", "there are none", "there was none", "there were none"]),
        Phrase(
            "stands below", "stand below", "stands above", "stands in", "stands there",
            better: "is below, is in"),
        Phrase("goes on", "go on", "went on", "going on", "gone on", better: "continues"),
        Phrase("came about", "comes about", "come about", better: "happened, was made"),
        Phrase(
            "came of it", "comes of it", "become of it", "became of it", "becomes of it",
            better: "what happened to it"),
        Phrase("the other way round", better: "the reverse"),
        Phrase("anew", better: "again"),
        Phrase(
            "is there", "are there", "was there", "were there", "is not there", "are not there",
            better: "exists, is missing", fine: ["is there a", "is there any", "are there any"]),
        Phrase("their fate", "its fate", better: "state, outcome"),
        Phrase("knows nothing", "know nothing", better: "does not store, does not use"),
        Phrase("last words", better: "last output"),
        Phrase("lies in", "lies below", "lies beside", "lies between", better: "is in, is between"),
        Phrase("beside", better: "next to, while … runs"),
        Phrase("a text", better: "text"),
        Phrase("so many", better: "this many"),
        Phrase("hears of", "hear of", "heard of", better: "receives, is notified of"),
        Phrase("is over", "are over", better: "has ended, timed out"),
        Phrase("make room", better: "free space"),
        Phrase("in force", better: "in effect, current"),
    ])

    private struct Entry {
        let words: [Substring]
        let phrase: Phrase
    }

    /// Wordings by their first word.
    private let entries: [Substring: [Entry]]

    init(_ phrases: [Phrase]) {
        var entries: [Substring: [Entry]] = [:]
        for phrase in phrases {
            for wording in phrase.wordings {
                let words = wording.split(separator: " ")
                entries[words[0], default: []].append(Entry(words: words, phrase: phrase))
            }
        }
        self.entries = entries
    }

    /// The wordings that occur in a text as whole words, whatever their case, each with the better one.
    func found(in text: String) -> [(wording: String, better: String)] {
        let words = Self.words(of: text)
        return words.indices.flatMap { index in
            (entries[words[index]] ?? []).filter {
                words[index...].starts(with: $0.words) && !isFine($0, at: index, in: words)
            }.map { ($0.words.joined(separator: " "), $0.phrase.better) }
        }
    }

    /// Whether a longer phrase that is good English holds the wording that was found.
    private func isFine(_ entry: Entry, at index: Int, in words: [Substring]) -> Bool {
        entry.phrase.fine.contains { fine in
            let longer = fine.split(separator: " ")
            return longer.indices.contains { offset in
                offset <= index && longer[offset...].starts(with: entry.words)
                    && words[(index - offset)...].starts(with: longer)
            }
        }
    }

    /// Words in lower case without the quotation marks around them; a comma stands wherever
    /// punctuation ends a phrase. A name with a full stop within is one word, a tag is apart, and what
    /// is quoted as code is a comma.
    private static func words(of text: String) -> [Substring] {
        let prose = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset.isMultiple(of: 2) ? $0.element : "," }.joined()
        return prose.lowercased().split { $0.isWhitespace || "<>".contains($0) }.flatMap {
            piece -> [Substring] in
            let start = piece.firstIndex(where: isOfWord) ?? piece.endIndex
            let end = piece.lastIndex(where: isOfWord).map { piece.index(after: $0) } ?? start
            let word = start < end ? [piece[start..<end]] : []
            return marks(piece[..<start]) + word + marks(piece[end...])
        }
    }

    private static func isOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber
    }

    private static func marks(_ edge: Substring) -> [Substring] {
        edge.contains { ".,;:!?()…".contains($0) } ? [","] : []
    }
}
