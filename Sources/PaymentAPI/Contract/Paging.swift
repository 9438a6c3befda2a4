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
        "The largest number of entries on the page; default \(defaultLimit).")
    static let page = ParameterSpec.optional(
        "page", .text(maximumBytes: SignedHistory.pageBytes),
        "The page token: the member next of an earlier result.")
    static let next = Schema.optional(
        "next", Schema.text,
        """
        The token of the next page; absent on the last page.
        """)
}
