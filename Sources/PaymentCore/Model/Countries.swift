/// The fixed facts about countries: their three-letter codes and their currencies.
///
/// The queue names a country by its alpha-2 code. Alpha-3 codes occur only at the interfaces,
/// because Apple's files and test controls use them.
public enum Countries {
    /// All countries of the table, ordered by alpha-2 code.
    public static let all: [CountryCode] = rows.map(\.code)

    /// Reads an alpha-2 or alpha-3 code in capital letters; nil if no country has it.
    public static func code(_ text: some StringProtocol) -> CountryCode? {
        if text.utf8.count == 3 { return byAlpha3[String(text)] }
        guard let code = CountryCode(text), byCode[code] != nil else { return nil }
        return code
    }

    /// The alpha-3 code of a country; nil for letters that are not a country.
    public static func alpha3(of country: CountryCode) -> String? {
        byCode[country]?.alpha3
    }

    /// The ISO 4217 code of the country's currency; nil for letters that are not a country.
    public static func currency(of country: CountryCode) -> String? {
        byCode[country]?.currency
    }

    private struct Row: Sendable {
        let code: CountryCode
        let alpha3: String
        let currency: String
    }

    private static let rows: [Row] = {
        let words = CountryTable.text.split { $0 == " " || $0 == "\n" }
        return stride(from: 0, to: words.count, by: 3).map { index in
            guard let code = CountryCode(words[index]) else {
                preconditionFailure("the country table has no country at word \(index)")
            }
            return Row(
                code: code, alpha3: String(words[index + 1]), currency: String(words[index + 2]))
        }
    }()

    private static let byCode = Dictionary(uniqueKeysWithValues: rows.map { ($0.code, $0) })
    private static let byAlpha3 = Dictionary(
        uniqueKeysWithValues: rows.map { ($0.alpha3, $0.code) })
}
