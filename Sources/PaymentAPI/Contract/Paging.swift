import PaymentCore
import StrictJSON

/// How all lists are cut into pages.
enum Paging {
    /// The most entries of a page that a client may ask for.
    static let largestLimit = 500
    /// The entries of a page if the client does not say.
    static let defaultLimit = 100

    static let limit = ParameterSpec.optional(
        "limit", .integer(1...Int64(largestLimit)),
        "The most entries of a page; \(defaultLimit) without it.")
    static let page = ParameterSpec.optional(
        "page", .text(maximumBytes: SignedHistory.pageBytes),
        "The page that next of an earlier answer named.")
    static let next = Schema.optional("next", Schema.text, "The next page, if there is one.")
}
