import PaymentCore
import PaymentTesting
import PaymentSandbox
import SandboxControl
import Testing

@testable import PaymentSandbox
@testable import payqueue_store

/// What the operator's pages are made of: errors, what others wrote, and what browsers are told.
@Suite struct OperatorPageTests {
    @Test(
        arguments: [
            ("/nothing", 404, "Unknown path."),
            ("/orders/nothing", 404, "There is no such order."),
            ("/orders/0192f0c5-0000-7000-8000-000000000000", 404, "There is no such order."),
            ("/orders?state=lost", 400, "There is no state lost."),
            ("/orders?from=yesterday", 400, "yesterday is not a date"),
            ("/orders?to=2026-02-30", 400, "2026-02-30 is not a date"),
            ("/orders?before=x", 400, "There is no such page of the list."),
            ("/orders?before=0192f0c5-0000-7000-8000-000000000000", 404, "Start again."),
            ("/account", 400, "The account is missing."),
            ("/account?account=nobody", 404, "There is no such account."),
            ("/subscriptions?status=x", 400, "There is no state x."),
            ("/confirm", 400, "no such action"),
            ("/confirm?action=refund", 400, "does not say what the action is for"),
            (
                "/confirm?action=renew&account=demo&product=pro.monthly", 404,
                "demo has no running subscription to pro.monthly."
            ),
            (
                "/confirm?action=buy&account=nobody&product=coins.100", 404,
                "There is no such account."
            ),
            (
                "/confirm?action=buy&account=alice&product=map.berlin", 409,
                "The product map.berlin is not sold in the country of the account."
            ),
            ("/operate", 405, "The path does not support this method."),
        ])
    func `what cannot be shown is a page that says so and leads on`(
        path: String, status: Int, sentence: String
    ) async throws {
        let visitor = try await PageVisitor(try StoreSamples.sandbox())
        let page = try await visitor.get(path)
        #expect(page.status == status)
        #expect(page.headers["content-type"] == "text/html; charset=utf-8")
        #expect(page.body.contains(sentence), "\(page.body)")
        #expect(
            page.body.contains("href=\"/\">Overview</a>") && page.body.contains("role=\"alert\""))
        try await visitor.stop()
    }

    @Test(
        arguments: [
            (
                "action=renew&account=demo&product=pro.monthly", 404,
                "demo has no running subscription to pro.monthly.", "/account?account=demo"
            ),
            (
                "action=refund&order=0192f0c5-0000-7000-8000-000000000000", 404,
                "There is no such order.", "/orders"
            ),
            (
                "action=endSession&account=demo&session=\(String(repeating: "a", count: 64))", 404,
                "The session has ended already.", "/account?account=demo"
            ),
            (
                "action=buy&account=demo&product=nothing", 409, "The product nothing is not sold",
                "/account?account=demo"
            ),
        ])
    func `what cannot be done is a page that leads back`(
        fields: String, status: Int, sentence: String, back: String
    ) async throws {
        let visitor = try await PageVisitor(try StoreSamples.sandbox())
        let token = visitor.served.shop.operators.formToken
        let page = try await visitor.post("/operate", "token=\(token)&\(fields)")
        #expect(page.status == status && page.body.contains(sentence))
        #expect(page.body.contains("href=\"\(back)\">Back</a>"))
        try await visitor.stop()
    }

    @Test func `programs that ask for no page get what the API says`() async throws {
        let visitor = try await PageVisitor(try StoreSamples.sandbox())
        let answer = try await visitor.get("/nothing", [("accept", "*/*")])
        #expect(answer.status == 404 && answer.body.contains(#""kind":"notFound""#))
        for path in ["/store-api/v1/nothing", "/merchant-api/v1/nothing"] {
            let answer = try await visitor.get(path)
            #expect(answer.status == 404)
            #expect(answer.headers["content-type"]?.hasPrefix("application/json") == true)
        }
        try await visitor.stop()
    }

    @Test func `a page says that nothing of elsewhere and no script belongs to it`() async throws {
        let sandbox = try await Self.busy()
        let visitor = try await PageVisitor(sandbox)
        for path in try await Self.paths(of: visitor) {
            let page = try await visitor.get(path)
            #expect(page.status == 200, "\(path)")
            let policy = page.headers["content-security-policy"] ?? ""
            #expect(policy.hasPrefix("default-src 'none'; style-src 'self'; "))
            #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
            #expect(page.headers["cache-control"] == "no-store")
            #expect(page.headers["referrer-policy"] == "no-referrer")
            let body = page.body.lowercased()
            for word in [
                "<script", "javascript:", " style=", " onclick", "http://", "https://", "<iframe",
            ] {
                #expect(!body.contains(word), "\(word) in \(path)")
            }
            for landmark in [
                "<header>", "<main id=\"content\">", "<footer>", "aria-label=\"main\"",
            ] {
                #expect(body.contains(landmark), "\(landmark) in \(path)")
            }
        }
        let style = try await visitor.get("/operator.css")
        #expect(style.headers["content-type"]?.hasPrefix("text/css") == true)
        #expect(!style.body.contains("url(") && !style.body.contains("@import"))
        #expect(try await visitor.get("/operator.svg").headers["content-type"] == "image/svg+xml")
        try await visitor.stop()
    }

    // MARK: What others wrote

    private static let evil: OpaqueText = #"<script>alert(1)</script>"'&<img src=x onerror=a()>"#

    /// A catalogue whose products and accounts are named to break a page.
    private static var catalogue: StoreCatalogue {
        var catalogue = StoreCatalogue.example
        for index in catalogue.products.indices {
            catalogue.products[index].texts = [
                ProductText(locale: "en_US", title: evil.string, description: evil.string)
            ]
        }
        catalogue.accounts = .anyName(country: StoreSamples.germany)
        return catalogue
    }

    /// A sandbox with an order in each state, all of a hostile account. Not optimized: the compiler
    /// (6.3.1) crashes when it splits this function into the parts between its calls.
    @_optimize(none)
    private static func busy(
        account: AccountName = evil, _ catalogue: StoreCatalogue = catalogue
    ) async throws -> SandboxService {
        let sandbox = try StoreSamples.sandbox(store: catalogue)
        func buy(_ number: UInt64, _ product: String = "coins.100") async throws {
            _ = try await sandbox.submit(
                try StoreSamples.request(number, account: account, product: product, token: evil))
        }
        try await buy(1)
        try await buy(2, "pro.monthly")
        _ = try await sandbox.run(.renew("pro.monthly"), account: account)
        try await buy(3)
        _ = try await sandbox.run(.refund(.transaction(StoreSamples.transaction(3))), account: nil)
        _ = try await sandbox.applyTestSettings(StoreSamples.change { $0.askToBuyEnabled = true })
        try await buy(4)
        _ = try await sandbox.applyTestSettings(
            StoreSamples.change {
                $0.askToBuyEnabled = false
                $0.interruptedPurchasesEnabled = true
            })
        try await buy(5)
        return sandbox
    }

    /// Every page that there is for such a sandbox.
    private static func paths(of visitor: PageVisitor) async throws -> [String] {
        let name = PageVisitor.encoded(evil.string)
        let account = "/account?account=\(name)"
        _ = try await visitor.served.shop.tokens.open(
            evil, country: StoreSamples.germany, now: .now)
        let questions = try await visitor.get(account).questions
        #expect(questions.count >= 4)
        let orders = try await visitor.get("/orders").orders.map { "/orders/\($0)" }
        #expect(orders.count == 6)
        var asked: [String] = []
        for order in orders { asked += try await visitor.get(order).questions }
        return [
            "/", "/orders", "/orders?q=\(name)&account=\(name)&product=\(name)", "/accounts?q=%3C",
            "/subscriptions?q=%3Cscript", "/settings", account,
            "/confirm?action=buy&account=\(name)&product=coins.100&appAccountToken=\(name)",
        ] + orders + questions + asked
    }

    @Test func `names, tokens and titles of others are never markup`() async throws {
        let visitor = try await PageVisitor(try await Self.busy(), catalogue: Self.catalogue)
        for path in try await Self.paths(of: visitor) {
            let page = try await visitor.get(path)
            #expect(page.status == 200, "\(path)")
            let isAboutSettings = path == "/settings"
            #expect(
                isAboutSettings || page.body.contains("&lt;script&gt;alert(1)&lt;/script&gt;"),
                "\(path)")
            #expect(!page.body.contains("<script") && !page.body.contains("<img"), "\(path)")
            #expect(!page.body.contains("\"'&<"), "\(path)")
        }
        try await visitor.stop()
    }

    @Test(
        arguments: [
            ("<b>", "&lt;b&gt;"), ("a&b", "a&amp;b"), ("\"'", "&quot;&#39;"), ("", ""),
            ("\u{0}\n\u{1B}", "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("\u{202E}x\u{2066}", "\u{FFFD}x\u{FFFD}"),
            ("\u{200B}\u{200F}", "\u{FFFD}\u{FFFD}"), ("Grüße 日本 👩‍👩‍👧", "Grüße 日本 👩‍👩‍👧"),
        ])
    func `text is escaped where it is put into markup`(text: String, escaped: String) {
        let markup: HTML = "<p title=\"\(text)\">\(OpaqueText(text))</p>"
        #expect(markup.text == "<p title=\"\(escaped)\">\(escaped)</p>")
        let nested: HTML = "<i>\(markup)</i>"
        #expect(nested.text == "<i>\(markup.text)</i>", "markup is not escaped again")
    }

    @Test func `an address carries whatever text, and a form gives it back`() {
        let text = "a b&c=d+e%/?#\"<ü\u{0}👩"
        let link = PageLink("/x", [("name", text), ("empty", ""), ("none", nil), ("z", "1")])
        let query = link.text.split(separator: "?", maxSplits: 1).last ?? ""
        let fields = FormFields(Array(query.utf8))
        #expect(fields["name"] == text && fields["z"] == "1")
        #expect(fields["empty"] == nil && fields["none"] == nil)
        #expect(
            !link.text.contains("empty") && link.text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        )
    }

    @Test(
        arguments: [
            (0, "0"), (999, "999"), (1000, "1,000"), (100_000, "100,000"), (1_234_567, "1,234,567"),
            (-1000, "-1,000"),
        ])
    func `numbers are grouped by thousands`(number: Int, text: String) {
        #expect(number.grouped == text)
    }

    @Test(
        arguments: [
            (0, "under 1 min"), (59, "under 1 min"), (60, "1 min"), (7199, "119 min"),
            (7200, "2 h"),
            (172_799, "47 h"), (172_800, "2 days"), (-5, "under 1 min"),
        ] as [(Int64, String)])
    func `an age has one unit`(seconds: Int64, text: String) {
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        #expect(now.advanced(bySeconds: -seconds).age(at: now) == text)
    }

    @Test func `the picture of a subscription shows its periods to scale`() async throws {
        let sandbox = try StoreSamples.sandbox()
        _ = try await sandbox.submit(try StoreSamples.request(1, product: "pro.monthly"))
        _ = try await sandbox.advanceTestClock(to: Timestamp(milliseconds: 1_710_000_000_000))
        let story = try #require(
            await sandbox.story(ofSubscriptionTo: "pro.monthly", of: "demo"))
        let paid = story.orders.reversed().map(\.paidAt.milliseconds)
        let end = try #require(story.orders.first?.order.expiresAt).milliseconds
        let picture = PeriodPicture(story: story, now: await sandbox.summary().now).html.text
        let places = picture.matches(of: #/<rect class="period (\w+)" x="(\d+)"/#)
        #expect(
            places.map { String($0.1) } == ["introductory"] + paid.dropFirst().map { _ in "paid" })
        let first = try #require(paid.first)
        let expected = paid.map { Int(Double($0 - first) / Double(end - first) * 1000) }
        #expect(places.compactMap { Int($0.2) } == expected)
        #expect(picture.contains("role=\"img\"") && picture.contains("class=\"now\""))
    }
}
