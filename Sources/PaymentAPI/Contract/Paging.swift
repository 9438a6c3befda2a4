import PaymentCore
import StrictJSON

/// The common parameters and results of paged lists.
enum Paging {
    /// The most entries per page that a client may request.
    static let largestLimit = 500
    /// The entries per page by default.
    static let defaultLimit = 100

    static func limit<Params>(
        _ property: Parameter<Params>.Property<Int>, example: JSONValue? = nil
    ) -> Parameter<Params> {
        .defaulted(
            "limit", property, .integer(1...Int64(largestLimit)),
            "The largest number of entries on the page; default \(defaultLimit).",
            example: example)
    }

    static func page<Params>(
        _ property: Parameter<Params>.Property<OpaqueText?>
    ) -> Parameter<Params> {
        .optional(
            "page", property, .text(maximumBytes: SignedHistory.pageBytes),
            "The page token: the member next of an earlier result.")
    }

    static func next<Result>(
        _ token: @escaping @Sendable (Result) -> String?
    ) -> Member<Result> {
        .optional("next", token, .text, "The token of the next page; absent on the last page.")
    }
}
