import PaymentCore

/// An operator's action on the store, with its object.
struct OperatorAction: Sendable, Hashable {
    enum Word: String, Sendable, CaseIterable {
        case approve, decline, refund, resolve, delete
        case renew, end, renewOn, renewOff, raisePrice, acceptPrice, declinePrice
        case buy, endSession
        case switchOn, switchOff, change
    }

    /// The object of an action.
    enum Object: Sendable, Hashable {
        case order(OrderID)
        case subscription(AccountName, ProductIdentifier)
        case purchase(AccountName, ProductIdentifier, token: OpaqueText?)
        case session(AccountName, TokenDigest)
        case setting(StoreSwitch)
        /// A new value of a setting, with its previous value.
        case value(StoreValue, before: StoreValue?)
    }

    let word: Word
    let object: Object

    init(_ word: Word, _ object: Object) {
        self.word = word
        self.object = object
    }

    /// Reads an action from the fields of a form or a query; `name` is the field of the action
    /// word.
    ///
    /// - Throws: The action is unknown, or its object is missing.
    init(_ fields: FormFields, word name: String = "action") throws(PageFailure) {
        guard let word = fields[name].flatMap(Word.init(rawValue:)) else {
            throw PageFailure(.badRequest, "There is no such action.")
        }
        let object: Object?
        let account = fields["account"].map { AccountName($0) }
        let product = fields["product"].map { ProductIdentifier($0) }
        switch word {
        case .approve, .decline, .refund, .resolve, .delete:
            object = fields["order"].flatMap { OrderID($0) }.map { .order($0) }
        case .renew, .end, .renewOn, .renewOff, .raisePrice, .acceptPrice, .declinePrice:
            object = account.flatMap { account in
                product.map { .subscription(account, $0) }
            }
        case .buy:
            let token = fields["appAccountToken"].map { OpaqueText($0) }
            object = account.flatMap { account in
                product.map { .purchase(account, $0, token: token) }
            }
        case .endSession:
            let digest = fields["session"].flatMap { TokenDigest($0) }
            object = account.flatMap { account in digest.map { .session(account, $0) } }
        case .switchOn, .switchOff:
            object = fields["setting"].flatMap(StoreSwitch.init(rawValue:)).map { .setting($0) }
        case .change:
            guard let value = Self.value(fields, "value") else {
                throw PageFailure(
                    .badRequest, "There is no such setting, or it cannot have this value.",
                    back: .settings)
            }
            object = .value(value, before: Self.value(fields, "before"))
        }
        guard let object else {
            throw PageFailure(.badRequest, "The address does not say what the action is for.")
        }
        self.init(word, object)
    }

    private static func value(_ fields: FormFields, _ name: String) -> StoreValue? {
        guard let setting = fields["setting"], let text = fields[name] else { return nil }
        return StoreValue(setting: setting, text: text)
    }

    /// The fields that ``init(_:word:)`` reads.
    var fields: [(name: String, value: String)] {
        [("action", word.rawValue)] + objectFields
    }

    /// The fields of the object.
    var objectFields: [(name: String, value: String)] {
        switch object {
        case .order(let order): [("order", order.description)]
        case .subscription(let account, let product):
            [("account", account.string), ("product", product.string)]
        case .purchase(let account, let product, let token):
            [
                ("account", account.string), ("product", product.string),
                ("appAccountToken", token?.string ?? ""),
            ]
        case .session(let account, let digest):
            [("account", account.string), ("session", digest.description)]
        case .setting(let setting): [("setting", setting.rawValue)]
        case .value(let value, let before):
            [("setting", value.setting), ("value", value.text), ("before", before?.text ?? "")]
        }
    }

    /// The page of the object.
    var page: PageLink {
        switch object {
        case .order(let order): .order(order)
        case .subscription(let account, _), .purchase(let account, _, _),
            .session(let account, _):
            .account(account)
        case .setting, .value: .settings
        }
    }

    /// The action that undoes this one; nil if there is none.
    var reverse: OperatorAction? {
        switch word {
        case .renewOn: OperatorAction(.renewOff, object)
        case .renewOff: OperatorAction(.renewOn, object)
        case .switchOn: OperatorAction(.switchOff, object)
        case .switchOff: OperatorAction(.switchOn, object)
        case .change:
            if case .value(_, before: let before?) = object {
                OperatorAction(.change, .value(before, before: nil))
            } else {
                nil
            }
        case .approve, .decline, .refund, .resolve, .delete, .renew, .end, .raisePrice,
            .acceptPrice, .declinePrice, .buy, .endSession:
            nil
        }
    }
}

extension OperatorAction.Word {
    /// The label of its button.
    var label: String {
        switch self {
        case .approve: "Approve"
        case .decline: "Decline"
        case .refund: "Refund"
        case .resolve: "Resolve"
        case .delete: "Delete"
        case .renew: "Renew now"
        case .end: "End now"
        case .renewOn: "Turn renewal on"
        case .renewOff: "Turn renewal off"
        case .raisePrice: "Raise price"
        case .acceptPrice: "Accept price"
        case .declinePrice: "Decline price"
        case .buy: "Buy"
        case .endSession: "End session"
        case .switchOn: "Turn on"
        case .switchOff: "Turn off"
        case .change: "Change"
        }
    }

    /// Whether it removes something.
    var isDestructive: Bool {
        switch self {
        case .decline, .refund, .delete, .end, .endSession: true
        case .approve, .resolve, .renew, .renewOn, .renewOff, .raisePrice, .acceptPrice,
            .declinePrice, .buy, .switchOn, .switchOff, .change:
            false
        }
    }

    /// The message on the page after the action.
    var notice: String {
        switch self {
        case .approve: "The order was approved."
        case .decline: "The order was declined."
        case .refund: "The order was refunded."
        case .resolve: "The order was resolved."
        case .delete: "The order was deleted."
        case .renew: "The subscription was renewed."
        case .end: "The subscription was ended."
        case .renewOn: "The subscription renews itself again."
        case .renewOff: "The subscription ends with its period."
        case .raisePrice: "The price increase was announced."
        case .acceptPrice: "The price increase was accepted."
        case .declinePrice: "The price increase was declined."
        case .buy: "The purchase was made."
        case .endSession: "The session was ended."
        case .switchOn: "The setting is on."
        case .switchOff: "The setting is off."
        case .change: "The setting was changed."
        }
    }
}

/// A page that cannot be shown, or an action that cannot be performed.
struct PageFailure: Error, Sendable {
    /// The kind of failure, by its HTTP status.
    enum Kind: Int, Sendable {
        case badRequest = 400
        case passwordNeeded = 401
        case forbidden = 403
        case notFound = 404
        case methodNotAllowed = 405
        case refused = 409
        case tooLarge = 413
        case tooManyRequests = 429
        case failed = 500
        case unavailable = 503
    }

    let kind: Kind
    /// The failure, in sentences.
    let message: String
    /// A link to continue, in addition to the overview.
    var back: PageLink?

    init(_ kind: Kind, _ message: String, back: PageLink? = nil) {
        self.kind = kind
        self.message = message
        self.back = back
    }
}
