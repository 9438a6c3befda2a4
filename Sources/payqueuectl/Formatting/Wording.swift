/// Words of the protocol as English text.
///
/// Unknown words are split at capital letters instead of being shown unchanged.
enum Wording {
    /// The text for a word.
    static func of(_ word: String) -> String {
        known[word] ?? spaced(word)
    }

    /// A number with its noun, which takes an `s` for all numbers but 1.
    static func count(_ number: some BinaryInteger, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    private static let known = [
        // Reasons of failed purchases.
        "declined": "declined by the store", "internalError": "the store failed",
        "presentationFailed": "the payment could not be shown to the buyer",
        "countryChanged": "the country has changed", "priceChanged": "the price has changed",
        "productNotAvailable": "no longer sold here",
        // Reasons of removals from the queue.
        "discardedByGate": "rejected at the gate",
        "rejectedAfterLogin": "rejected after the login", "withdrawn": "withdrawn unpaid",
        "deleted": "deleted at the store",
        // Offers, and reasons of revocations.
        "introductory": "introductory offer", "alreadyOwned": "already owned, nothing charged",
        "refund": "refunded",
        // Kinds of questions.
        "login": "log in", "afterLogin": "continue after the login",
        "shouldContinue": "continue in this country or at this price",
        "payment": "confirm the payment",
        // Reasons why payments are not allowed, and states of a store.
        "notLoggedIn": "no account is logged in", "connectionError": "the store does not answer",
        "serviceUnavailable": "the store is not available now",
        "paymentsNotAllowed": "the account is not allowed to pay",
        "appNotRegistered": "the store does not know this application",
        // Reasons of the end of a connection.
        "shutdown": "it is shutting down",
        // Kinds of products.
        "nonConsumable": "non-consumable",
        "nonRenewingSubscription": "non-renewing subscription",
        "autoRenewableSubscription": "auto-renewable subscription",
    ]

    /// `someWireWord` as `some wire word`; text with spaces or other signs stays unchanged.
    private static func spaced(_ word: String) -> String {
        guard word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else { return word }
        var text = ""
        for character in word {
            if character.isUppercase, !text.isEmpty { text += " " }
            text += character.lowercased()
        }
        return text
    }
}
