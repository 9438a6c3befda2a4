import Foundation
import PaymentTesting
import Testing

/// What people see of the store server: TLS, the operator's page, its keys.
@Suite("The store server, for people", .ownThreads)
struct StoreFaceTests {
    @Test("The pages show accounts and orders, and their forms work without a script")
    func page() throws {
        guard Built.has("curl") else { return Skip.because("curl is not installed") }
        let place = try Workplace()
        let store = StoreServer(in: place)
        try store.start()
        let daemon = try Daemon(["--store", store.address], in: place)
        try daemon.start()
        let line = try daemon.connect()
        try line.call("login", #"{"account":"demo"}"#)
        try line.call("subscribe")
        let add = #"{"product":"remove-ads","appAccountToken":"<b>&'user"}"#
        let id = try line.call("add", add)["transaction"]?.string ?? ""
        let bought = try line.call("wait", #"{"transaction":"\#(id)","until":["purchased"]}"#)
        let order = bought["transaction"]?["transactionIdentifier"]?.string ?? ""
        let page = try Self.get(store, "/orders/\(order)")
        #expect(page.status == 200)
        #expect(page.body.contains(">demo</a>") && page.body.contains(order))
        #expect(try Self.get(store, "/").body.contains(order))
        // Nothing of it needs a script, and nothing could be slipped in.
        #expect(page.head.contains("default-src 'none'"))
        for word in ["<script", "javascript:", " onclick", " onload", " onsubmit"] {
            #expect(!page.body.lowercased().contains(word))
        }
        let charged = page.body.ranges(of: "<dd><span class=\"amount\">4.99 EUR</span></dd>")
        #expect(charged.count == 2, "the price and what was charged")
        let question = try Self.get(store, "/confirm?action=refund&order=\(order)")
        let token = Self.token(of: question.body)
        func press(_ fields: String, token: Substring) throws -> (Int, String) {
            let answer = try Self.get(
                store, "/operate", ["-L", "--data", "token=\(token)&\(fields)"])
            return (answer.status, answer.body)
        }
        #expect(try press("action=refund&order=\(order)", token: "x").0 == 403)
        let refunded = try press("action=refund&order=\(order)", token: token)
        #expect(refunded.0 == 200 && refunded.1.contains("The order was refunded."))
        #expect(refunded.1.contains("Refunded: No advertisements"))
        #expect(try press("action=approve&order=\(order)", token: token).0 == 409)
        #expect(try press("action=end&account=demo&product=pro.monthly", token: token).0 == 404)
        #expect(try press("action=nonsense", token: token).0 == 400)
        let revoked = try line.call(
            "events", #"{"after":"start","kinds":["entitlementsRevoked"],"wait":60}"#)
        #expect(revoked["events"]?[0]?["orders"]?[0]?.string == order)
        try daemon.stop()
        try store.stop()
    }

    /// A `.storekit` file of one subscription.
    private static let subscription = #"""
        {"version":{"major":4,"minor":0},"identifier":"1","settings":{},"products":[],
         "nonRenewingSubscriptions":[],"subscriptionGroups":[{"id":"1","name":"Pro",
         "localizations":[],"subscriptions":[{"adHocOffers":[],"codeOffers":[],
         "displayPrice":"4.99","familyShareable":false,"groupNumber":1,"internalID":"2",
         "introductoryOffer":null,"localizations":[{"description":"All","displayName":"Pro",
         "locale":"en_US"}],"productID":"pro.monthly","recurringSubscriptionPeriod":"P1M",
         "referenceName":"Pro","subscriptionGroupID":"1","type":"RecurringSubscription"}]}]}
        """#

    @Test("The page lets orders wait for an approval, and renews whatever the catalogue")
    func operating() throws {
        guard Built.has("curl") else { return Skip.because("curl is not installed") }
        let place = try Workplace()
        let store = StoreServer(in: place)
        store.flags = ["--catalog", try place.write(Self.subscription, to: "shop.storekit")]
        try store.start()
        let daemon = try Daemon(["--store", store.address], in: place)
        try daemon.start()
        let line = try daemon.connect()
        try line.call("login", #"{"account":"somebody"}"#)
        try line.call("subscribe")
        #expect(try Self.get(store, "/accounts").body.contains(">somebody</a>"))
        func press(_ fields: String) throws -> String {
            let question = try Self.get(store, "/confirm?\(fields)").body
            let data = "token=\(Self.token(of: question))&\(fields)"
            return try Self.get(store, "/operate", ["-L", "--data", data]).body
        }
        let asks = try press("action=switchOn&setting=askToBuy")
        #expect(asks.contains("New orders wait for an approval before they are charged."))
        let id = try line.call("add", #"{"product":"pro.monthly"}"#)["transaction"]?.string ?? ""
        let waiting = try eventually(within: 60) {
            let found = try line.call("transactions", #"{"ids":["\#(id)"]}"#)
            return found["transactions"]?[0]?["waitingFor"]?.string == "approval" ? true : nil
        }
        #expect(waiting == true)
        var page = try Self.get(store, "/").body
        let order = page.firstMatch(of: #/href="\/orders\/(.+?)"/#)?.1 ?? ""
        #expect(page.contains(">Approve<") && page.contains(">Decline<"))
        // It is kept as every setting of the sandbox is.
        try store.stop()
        try store.start()
        page = try Self.get(store, "/").body
        #expect(page.contains("New orders wait for an approval"))
        #expect(try press("action=approve&order=\(order)").contains("was approved"))
        try line.call("wait", #"{"transaction":"\#(id)","until":["purchased"]}"#)
        let renewed = try press("action=renew&account=somebody&product=pro.monthly")
        #expect(renewed.contains("was renewed") && renewed.contains("Renewed: "))
        let stopped = try press("action=switchOff&setting=askToBuy")
        #expect(stopped.contains("New orders are charged at once."))
        try daemon.stop()
        try store.stop()
    }

    @Test("Without a password the page is for peers on this machine, whatever they say of the host")
    func strangers() throws {
        guard Built.has("curl"), Built.has("hostname") else {
            return Skip.because("curl or hostname is not installed")
        }
        let place = try Workplace()
        let own = try Child.run(["hostname", "-I"], in: place).output
        guard
            let address = own.split(whereSeparator: \.isWhitespace).first(where: {
                !$0.contains(":")
            })
        else { return Skip.because("this machine has no address but its loopback") }
        let store = StoreServer(in: place)
        store.flags = ["--listen", "0.0.0.0:0"]
        let port = try store.startOnPort()
        func status(_ peer: Substring, host: String, _ path: String, _ words: [String]) throws
            -> String
        {
            try Child.run(
                ["curl", "-sS", "--noproxy", "*", "-o", place("page"), "-w", "%{http_code}"]
                    + words + ["-H", "Host: \(host)", "http://\(peer):\(port)\(path)"],
                in: place
            ).output
        }
        for host in ["localhost", "127.0.0.1:\(port)", "[::1]", "unix", "\(address)"] {
            #expect(try status(address, host: host, "/", []) == "403", "\(host)")
            #expect(!text(of: place("page")).contains("token"))
        }
        #expect(try status("127.0.0.1", host: "localhost", "/", []) == "200")
        #expect(try status("127.0.0.1", host: "evil.example", "/", []) == "403", "rebound")
        // Not even with a token that somebody here gave away.
        #expect(try status("127.0.0.1", host: "localhost", "/", []) == "200")
        let question = "/confirm?action=switchOn&setting=askToBuy"
        #expect(try status("127.0.0.1", host: "localhost", question, []) == "200")
        let token = Self.token(of: text(of: place("page")))
        let form = ["--data", "token=\(token)&action=end&account=demo&product=pro.monthly"]
        #expect(try status("127.0.0.1", host: "localhost", "/operate", form) == "404")
        #expect(try status(address, host: "localhost", "/operate", form) == "403")
        try store.stop()
    }

    @Test("A method that a path does not have is refused, and the answer names those it has")
    func methods() throws {
        guard Built.has("curl") else { return Skip.because("curl is not installed") }
        let store = StoreServer(in: try Workplace())
        try store.start()
        for (path, allowed) in [
            ("/store-api/v1/store", "GET, HEAD"), ("/store-api/v1/orders/x", "GET, HEAD, PUT"),
            ("/store-api/v1/sessions/current", "DELETE"), ("/", "GET, HEAD"), ("/operate", "POST"),
            ("/merchant-api/v1/purchases/in-app/history/x", "GET, HEAD"),
        ] {
            let answer = try Self.get(store, path, ["-X", "PATCH"])
            #expect(answer.status == 405, "\(path)")
            #expect(answer.head.lowercased().contains("allow: \(allowed.lowercased())\r\n"))
            #expect(try Self.word(answer.body, path) == "methodNotAllowed")
        }
        for path in ["/store-api/v1/nothing", "/nothing", "/merchant-api/v1/nothing"] {
            let answer = try Self.get(store, path)
            #expect(answer.status == 404)
            #expect(try Self.word(answer.body, path) == "notFound")
        }
        try store.stop()
    }

    /// How a part of the server says what went wrong.
    private static func word(_ body: String, _ path: String) throws -> String? {
        try JSON(body)["error"]?[path.hasPrefix("/merchant-api/") ? "code" : "kind"]?.string
    }

    @Test("HEAD is answered wherever GET is, with the same head and nothing else")
    func heads() throws {
        guard Built.has("curl") else { return Skip.because("curl is not installed") }
        let store = StoreServer(in: try Workplace())
        try store.start()
        for path in [
            "/", "/openapi.json", "/metrics", "/.well-known/jwks.json", "/store-api/v1/store",
            "/store-api/v1/products?country=DE", "/store-api/v1/account",
            "/merchant-api/v1/purchases/in-app/history/x", "/store-api/v1/sessions", "/nothing",
        ] {
            let whole = try Self.get(store, path)
            // Curl itself complains if more than a head comes.
            let head = try Self.get(store, path, ["--head"])
            #expect(head.status == whole.status, "\(path)")
            let kind = #/content-type: [^\r]+/#.ignoresCase()
            #expect(
                head.head.firstMatch(of: kind)?.output == whole.head.firstMatch(of: kind)?.output)
        }
        try store.stop()
    }

    @Test("A page of purchases that never was is not found")
    func unknownPage() throws {
        guard Built.has("curl") else { return Skip.because("curl is not installed") }
        let store = StoreServer(in: try Workplace())
        try store.start()
        let opened = try Self.get(
            store, "/store-api/v1/sessions", ["--data", #"{"account":"demo"}"#])
        let token = try JSON(opened.body)["accessToken"]?.string ?? ""
        let page = "3e46c75a-7e04-4530-979a-e275f3a7c50c"
        let answer = try Self.get(
            store, "/store-api/v1/purchases?selection=unfinished&page=\(page)",
            ["-H", "Authorization: Bearer \(token)"])
        #expect(answer.status == 404)
        #expect(try Self.word(answer.body, "/") == "notFound")
        try store.stop()
    }

    @Test("Behind TLS and a password the page is for whoever knows it, and nothing is plain")
    func secured() throws {
        guard Built.has("curl"), Built.has("openssl") else {
            return Skip.because("curl or openssl is not installed")
        }
        let place = try Workplace()
        let (certificate, key) = try Certificate.make("store", in: place)
        let store = StoreServer(in: place)
        store.flags = [
            "--listen", "127.0.0.1:0", "--tls-certificate", certificate, "--tls-key", key,
            "--operator-password", try Secrets.file(Secrets.password, "password", in: place),
        ]
        chmod(key, 0o644)
        let open = try Child.run([Built.store, "--check-config"] + store.flags, in: place)
        #expect(open.ending == .exit(78) && open.errors.contains("chmod 0640 '\(key)'"))
        chmod(key, 0o600)
        let port = try store.startOnPort()
        let base = "https://localhost:\(port)"
        let trusted = ["--cacert", certificate]
        func get(_ words: String...) throws -> (ending: Child.Ending, status: String) {
            let answer = try Child.run(
                ["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}"] + words, in: place)
            return (answer.ending, answer.output)
        }
        #expect(try get("--cacert", certificate, "\(base)/store-api/v1/store").status == "200")
        #expect(try get("\(base)/store-api/v1/store").ending == .exit(60), "it is not trusted")
        #expect(try get("http://localhost:\(port)/store-api/v1/store").ending != .exit(0))
        #expect(try get("--cacert", certificate, "--tls-max", "1.1", base).ending != .exit(0))
        #expect(try get("--cacert", certificate, base).status == "401")
        // Suites without authenticated encryption are not offered.
        for (suite, isOffered) in [
            ("ECDHE-ECDSA-AES128-GCM-SHA256", true), ("ECDHE-ECDSA-CHACHA20-POLY1305", true),
            ("ECDHE-ECDSA-AES128-SHA", false), ("ECDHE-ECDSA-AES256-SHA", false),
        ] {
            let found = try get(
                trusted[0], trusted[1], "--tls-max", "1.2", "--ciphers", suite, base)
            #expect((found.status == "401") == isOffered, "\(suite)")
        }
        let head = try Child.run(
            ["curl", "-sS", "--head", "--cacert", certificate, "\(base)/openapi.json"], in: place)
        #expect(head.output.lowercased().contains("strict-transport-security: max-age=31536000"))
        for (word, status) in [("wrong-password", "401"), (Secrets.password, "200")] {
            let found = try get(trusted[0], trusted[1], "-u", "operator:\(word)", base)
            #expect(found.status == status)
        }
        // The daemon believes the same certificate, and none without being told.
        for isTold in [true, false] {
            let daemon = try Daemon(["--store", base], in: isTold ? place : try Workplace())
            if isTold {
                let text = #"{"storeCertificates":"\#(certificate)"}"#
                daemon.flags += ["--config", try place.write(text, to: "config.json")]
            }
            try daemon.start()
            let login = try daemon.connect().ask("login", #"{"account":"demo"}"#)
            #expect((login["result"] != nil) == isTold, "\(login)")
            try daemon.stop()
        }
        try store.stop()
    }

    @Test("Another key signs from the next history on, and what the old one signed is still good")
    func rotation() throws {
        let place = try Workplace()
        let store = StoreServer(in: place)
        try store.start()
        #expect(throws: Trouble.self) { try store.run("keys", "rotate") }
        let daemon = try Daemon(["--store", store.address], in: place)
        try daemon.start()
        let line = try daemon.connect()
        try line.call("login", #"{"account":"demo"}"#)
        try line.call("subscribe")
        let old = try line.call("signedHistory")
        let rotated = try store.run("keys", "rotate")
        let new = try line.call("signedHistory")
        #expect(new["kid"]?.string != old["kid"]?.string)
        let names = { (keys: JSON) in keys["keys"]?.array?.map { $0["kid"]?.string } }
        #expect(names(rotated) == [new["kid"]?.string, old["kid"]?.string])
        #expect(names(try store.run("keys", "list")) == names(rotated))
        #expect(names(try line.call("keys")) == names(rotated))
        for (name, signed) in [("old", old), ("new", new)] {
            let file = try place.write(signed["jws"]?.string ?? "", to: name)
            let verified = try Child.run(
                [Built.control, "history", "verify", file], in: place,
                environment: ["PAYQUEUED_SOCKET": daemon.socket])
            #expect(verified.ending == .exit(0), "\(verified.errors)")
        }
        // A restart changes nothing about it.
        try store.stop()
        try store.start()
        #expect(try line.call("signedHistory")["kid"]?.string == new["kid"]?.string)
        let listed = try Child.run(
            [Built.store, "keys", "list", "--state-directory", place("store")], in: place)
        #expect(listed.output.contains("signs since") && !listed.output.contains("PRIVATE"))
        try daemon.stop()
        try store.stop()
    }

    /// What the forms of the operator's page carry.
    private static func token(of page: String) -> Substring {
        page.firstMatch(of: #/name="token" value="(.+?)"/#)?.1 ?? ""
    }

    /// Asks for a page over the store's socket.
    private static func get(
        _ store: StoreServer, _ path: String, _ words: [String] = []
    ) throws -> (status: Int, head: String, body: String) {
        let place = try Workplace()
        let answer = try Child.run(
            ["curl", "-sS", "-D", place("head"), "--unix-socket", store.socket] + words
                + ["http://localhost\(path)"], in: place)
        let head = text(of: place("head"))
        let statuses = head.matches(of: #/HTTP\/1\.1 (\d+)/#)
        return (statuses.last.flatMap { Int($0.1) } ?? 0, head, answer.output)
    }
}
