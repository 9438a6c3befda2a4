import StrictJSON

/// A notification as lines for users.
///
/// Unknown states, kinds and members are shown with their names.
struct EventText {
    /// The lines of a notification; empty for a heartbeat.
    static func lines(method: String, params: JSONValue) -> [String] {
        let params = params.plain
        return switch method {
        case "event": event(params)
        case "caughtUp": [Console.styled("--- caught up at \(position(params)) ---", .quiet)]
        case "heartbeat": []
        case "gap":
            [
                "--- records \(number(params, "from")) to \(number(params, "to")) were dropped: "
                    + "\(reason(params)); unfinished transactions follow ---"
            ]
        case "ended": ["--- the daemon ended the subscription: \(reason(params)) ---"]
        case "closing": ["--- the daemon closes the connection: \(reason(params)) ---"]
        default: ["\(ScreenText.plain(method)) \(params.jsonText())"]
        }
    }

    private static func event(_ params: JSONValue) -> [String] {
        let start = "\(clock(params))  \(padded(position(params), to: 6))"
        let kind = word(params, "kind")
        switch kind {
        case "transactionsUpdated":
            let again = params["redelivery"]?.boolValue == true
            return (params["transactions"]?.arrayValue ?? []).map { transaction in
                "\(start)  \(self.transaction(transaction))\(again ? "  (again)" : "")"
            }
        case "transactionsRemoved":
            let why = "removed: \(reason(params))\(by(params["by"]))"
            return (params["transactions"]?.arrayValue ?? []).map { transaction in
                let state = Console.styled(padded("removed", to: 11), .quiet)
                return "\(start)  \(state) \(goods(transaction))  \(why)"
            }
        case "storefrontChanged":
            let from = country(params["from"])
            return [
                "\(start)  storefront  \(from) -> \(country(params["to"]))  \(account(params))"
            ]
        case "restoreCompleted":
            let count = number(params, "count")
            return ["\(start)  \(mark("restored", .good)) \(count) by \(word(params, "restore"))"]
        case "restoreFailed":
            let why = params["error"]?.members?.first?.name ?? word(params, "error")
            let failed = "\(word(params, "restore"))  failed: \(Wording.of(why))"
            return ["\(start)  \(mark("restore", .bad)) \(failed)"]
        case "entitlementsRevoked":
            let products = params["products"]?.arrayValue?.map(AnswerFilter.text) ?? []
            let orders = Wording.count(params["orders"]?.arrayValue?.count ?? 0, "order")
            let what =
                products.isEmpty
                ? "\(orders); no product was lost" : products.joined(separator: ", ")
            return ["\(start)  \(mark("revoked", .bad)) \(what)"]
        case "questionOpened":
            let about = QuestionText.about(params)
            let question = word(params, "question")
            let type = Wording.of(word(params, "type"))
            return ["\(start)  \(mark("question", .busy)) \(type)  \(about)  \(question)"]
        case "questionClosed":
            let value = params["value"]?.boolValue.map { $0 ? "yes" : "no" } ?? "no answer"
            let why =
                params["reason"]?.stringValue.map { ": \(Wording.of($0))" } ?? by(params["by"])
            return [
                "\(start)  \(mark("answered", .quiet)) \(word(params, "question"))  \(value)\(why)"
            ]
        default:
            return ["\(start)  \(mark(Wording.of(kind), .quiet)) \(details(params))"]
        }
    }

    /// The account after a change of storefront.
    private static func account(_ params: JSONValue) -> String {
        let name = params["account"]?.stringValue
        switch params["cause"]?.stringValue {
        case nil: return name.map { "\($0) logged in" } ?? "logged out"
        case "sessionEnded":
            let whose = name.map { " of \($0)" } ?? ""
            return Console.styled("the store ended the session\(whose): log in again", .bad)
        case let cause?: return "\(name ?? "nobody"): \(Wording.of(cause))"
        }
    }

    private static func mark(_ word: String, _ style: Console.Style) -> String {
        Console.styled(padded(word, to: 11), style)
    }

    /// The state, the goods and the notes of a transaction. A transaction that left the queue is
    /// shown as removed, whatever its last state.
    static func transaction(_ transaction: JSONValue) -> String {
        let isRemoved = TransactionText.ending(transaction) != nil
        let state = isRemoved ? "removed" : word(transaction, "transactionState")
        let style = isRemoved ? Console.Style.quiet : TransactionText.style(ofState: state)
        let notes = TransactionText.notes(transaction)
        let tail = notes.isEmpty ? "" : "  \(notes.joined(separator: ", "))"
        return "\(Console.styled(padded(state, to: 11), style)) \(goods(transaction))\(tail)"
    }

    /// The product, its price and the transaction's id.
    static func goods(_ transaction: JSONValue) -> String {
        let product = transaction["payment"]?["product"]
        let name = product?["productIdentifier"]?.stringValue ?? "?"
        let id = transaction["id"]?.stringValue ?? "?"
        return "\(padded(name, to: 16)) \(padded(PriceText.price(product?["price"]), to: 12)) \(id)"
    }

    /// The time of day of a record, in UTC.
    private static func clock(_ params: JSONValue) -> String {
        let time = params["time"]?.stringValue ?? ""
        guard let t = time.firstIndex(of: "T") else { return "            " }
        return String(time[time.index(after: t)...].prefix(12))
    }

    private static func position(_ params: JSONValue) -> String {
        "#\(number(params, "seq"))"
    }

    private static func number(_ params: JSONValue, _ name: String) -> String {
        params[name]?.intValue.map(String.init) ?? "?"
    }

    private static func word(_ value: JSONValue, _ name: String) -> String {
        value[name]?.stringValue ?? "?"
    }

    private static func reason(_ params: JSONValue) -> String {
        Wording.of(word(params, "reason"))
    }

    private static func country(_ storefront: JSONValue?) -> String {
        storefront?["countryCode"]?.stringValue ?? storefront?.stringValue ?? "none"
    }

    /// The client that caused an event, as a suffix; empty if there is none.
    static func by(_ origin: JSONValue?) -> String {
        guard let origin else { return "" }
        if let client = origin["client"]?.stringValue { return " by \(client)" }
        return origin["uid"]?.intValue.map { " by uid \($0)" } ?? ""
    }

    /// The unknown members of a record.
    private static func details(_ params: JSONValue) -> String {
        let known: Set<String> = ["subscription", "seq", "prev", "kind", "time"]
        let rest = (params.members ?? []).filter { !known.contains($0.name) }
        return rest.map { "\($0.name)=\($0.value.jsonText())" }.joined(separator: " ")
    }

    private static func padded(_ text: String, to width: Int) -> String {
        ScreenText.padded(text, to: width)
    }
}
