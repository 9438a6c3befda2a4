/// The name and description of a product in one language.
public struct ProductText: Sendable, Hashable {
    /// Language and region, such as `en_US`; empty for a text of no particular language.
    public var locale: String
    /// The name to show.
    public var title: String
    /// The description to show.
    public var description: String

    /// Creates a text.
    public init(locale: String, title: String, description: String) {
        self.locale = locale
        self.title = title
        self.description = description
    }
}

extension [ProductText] {
    /// The text for a locale: the text of that locale, else the first of the same language, else
    /// the first of all.
    func choice(for locale: String) -> ProductText? {
        let wanted = LocaleName(locale)
        return first { LocaleName($0.locale) == wanted }
            ?? first { LocaleName($0.locale).language == wanted.language }
            ?? first
    }
}

/// A locale for comparisons that ignore case and separator: `en_US`, `en-us` and `EN_us` are equal.
private struct LocaleName: Equatable {
    let text: String

    init(_ text: String) {
        self.text = String(text.map { $0 == "-" ? "_" : $0 }).lowercased()
    }

    var language: Substring { text.prefix { $0 != "_" } }
}
