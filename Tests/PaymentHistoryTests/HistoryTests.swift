import PaymentCore
import StrictJSON
import Testing

@testable import PaymentHistory

@Suite struct HistoryTests {
    @Test func `every member is written, in order, with explicit nulls`() throws {
        let value = try JSONValue(parsing: Samples.history.jsonBytes)
        let names = [
            "app_account_token", "bundle_id", "currency", "expires_at", "order_id",
            "original_order_id", "original_purchase_date", "price", "product_id", "product_slug",
            "product_type", "purchase_date", "quantity", "revocation_date", "revocation_reason",
            "fetched_at", "subscription_id", "transaction_reason", "user_country",
        ]
        #expect(value["transactions"]?.arrayValue?.count == 3)
        for entry in value["transactions"]?.arrayValue ?? [] {
            #expect(entry.members?.map(\.name) == names)
        }
        let refunded = value["transactions"]?[2]
        #expect(refunded?["expires_at"] == .null && refunded?["subscription_id"] == .null)
        #expect(refunded?["revocation_reason"] == "Refund")
        #expect(refunded?["transaction_reason"] == "PURCHASE" && refunded?["price"] == 499)
        #expect(value["transactions"]?[1]?["transaction_reason"] == "RENEWAL")
        #expect(
            value["transactions"]?[1]?["original_purchase_date"] == "2025-12-26T10:00:00.000Z")
    }

    @Test func `what was written is read again`() throws {
        #expect(try TransactionHistory(parsing: Samples.history.jsonBytes) == Samples.history)
        let none = TransactionHistory(transactions: [])
        #expect(try TransactionHistory(parsing: none.jsonBytes) == none)
    }

    @Test func `a member that is missing means null, one that is unknown nothing`() throws {
        var value = try JSONValue(parsing: Samples.history.jsonBytes)
        value = value.editing { members in
            members.removeAll { $0.value.isNull }
            members.append(JSONMember(name: "storefront_tier", value: 7))
        }
        #expect(try TransactionHistory(parsing: value.jsonText().utf8) == Samples.history)
    }

    @Test(arguments: [
        ("order_id", JSONValue.string("4f57d86b-8f15-5641-080b-f386g4b8d61d")), ("order_id", .null),
        ("price", .number("9.99")), ("price", "999"), ("currency", "eur"), ("quantity", 0),
        ("product_type", "GIFT"), ("purchase_date", "yesterday"), ("expires_at", 17),
        ("transaction_reason", .null), ("revocation_date", .null), ("bundle_id", .null),
        ("fetched_at", "2026-02-30T00:00:00Z"),
    ])
    func `a member that is not what the schema says is named`(name: String, value: JSONValue) throws
    {
        let broken = try JSONValue(parsing: Samples.history.jsonBytes).editing { members in
            for place in members.indices where members[place].name == name {
                members[place].value = value
            }
        }
        let fault = #expect(throws: HistoryFault.self) {
            try TransactionHistory(parsing: broken.jsonText().utf8)
        }
        guard case .member(let place, _)? = fault else {
            Issue.record("it is \(fault as Any)"); return
        }
        #expect(place.hasSuffix("/" + name))
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"transactions":{}}"#, #"{"transactions":[1]}"#,
        #"{"transactions":[],"transactions":[]}"#, #"{"transactions":[]} x"#,
    ])
    func `anything else is no history`(text: String) {
        #expect(throws: HistoryFault.self) { try TransactionHistory(parsing: Array(text.utf8)) }
    }

    @Test(arguments: [
        ("2026-01-26T10:05:00Z", 0), ("2026-01-26T10:05:00.5Z", 500),
        ("2026-01-26T10:05:00.123456Z", 123), ("2026-01-26T12:05:00+02:00", 0),
        ("2026-01-26T04:35:00-05:30", 0),
    ])
    func `times of other stores are understood`(text: String, extra: Int64) {
        #expect(
            Timestamp(rfc3339: text)?.milliseconds == Samples.now.milliseconds + extra)
    }

    @Test(arguments: [
        "2026-01-26 10:05:00Z", "2026-01-26T10:05:00", "2026-01-26T10:05:00.Z",
        "2026-13-26T10:05:00Z",
        "2026-01-26T10:05:60Z", "2026-01-26T10:05:00+2:00", "2026-01-26T10:05:00+24:00",
        "2026-01-26T10:05:00Zx", "２026-01-26T10:05:00Z",
    ])
    func `what is no time of RFC 3339 is refused`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(arguments: [
        (999, "EUR", "9.99 EUR"), (5, "EUR", "0.05 EUR"), (0, "EUR", "0.00 EUR"),
        (120, "JPY", "120 JPY"),
        (1234, "KWD", "1.234 KWD"), (-50, "USD", "-0.50 USD"), (100_000, "USD", "1000.00 USD"),
    ])
    func `people read prices in whole units`(price: Int64, currency: String, text: String) {
        var purchase = Samples.history.transactions[0]
        purchase.price = price
        purchase.currency = currency
        #expect(purchase.priceText == text)
    }

    @Test func `revoked and expired purchases entitle to nothing`() {
        let purchases = Samples.history.transactions
        #expect(!purchases[0].isEntitling(at: Samples.now))
        #expect(purchases[1].isEntitling(at: Samples.now))
        #expect(!purchases[1].isEntitling(at: purchases[1].expiresAt ?? Samples.now))
        #expect(!purchases[2].isEntitling(at: Samples.now))
    }
}

extension JSONValue {
    /// The history with the members of every purchase changed.
    fileprivate func editing(_ edit: (inout [JSONMember]) -> Void) -> JSONValue {
        let purchases = (self["transactions"]?.arrayValue ?? []).map { entry -> JSONValue in
            var members = entry.members ?? []
            edit(&members)
            return .object(members)
        }
        return ["transactions": .array(purchases)]
    }
}

extension TransactionHistory {
    fileprivate init(parsing bytes: String.UTF8View) throws {
        try self.init(parsing: Array(bytes))
    }
}
