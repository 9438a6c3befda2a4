/// Words of the wire as people say them.
///
/// The wire's words are for programs; a word that this version does not know is still turned into
/// English rather than shown as it is spelled there.
enum Wording {
    /// The words for a word.
    static func of(_ word: String) -> String {
        known[word] ?? spaced(word)
    }

    private static let known = [
        // Why a purchase failed.
        "declined": "declined by the store", "internalError": "the store failed",
        "presentationFailed": "the payment could not be shown to the buyer",
        "countryChanged": "the country has changed", "priceChanged": "the price has changed",
        "productNotAvailable": "no longer sold here",
        // Why a transaction left the queue.
        "discardedByGate": "rejected at the gate",
        "rejectedAfterLogin": "rejected after the login", "withdrawn": "withdrawn unpaid",
        "deleted": "deleted at the store",
        // Why another amount was charged than the price, and why a purchase was taken back.
        "introductory": "introductory offer", "alreadyOwned": "already owned, nothing charged",
        "refund": "refunded",
        // What a question is about.
        "login": "log in", "afterLogin": "continue after the login",
        "shouldContinue": "continue in this country or at this price",
        "payment": "confirm the payment",
        // Why payments are not allowed, and how a store is.
        "notLoggedIn": "no account is logged in", "connectionError": "the store does not answer",
        "serviceUnavailable": "the store is not available now",
        "paymentsNotAllowed": "the account is not allowed to pay",
        "appNotRegistered": "the store does not know this application",
        // What is sold.
        "nonConsumable": "non-consumable",
        "nonRenewingSubscription": "non-renewing subscription",
        "autoRenewableSubscription": "auto-renewable subscription",
    ]

    /// `someWireWord` as `some wire word`; anything with spaces or other signs stays as it is.
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
