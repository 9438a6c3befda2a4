import Foundation
import PaymentTesting
import Testing

/// The server of the page: which browsers it admits, which calls it passes on, and what it sends.
@Suite("payqueuectl page", .ownThreads)
struct PageServerTests {
    @Test("The printed address works once and becomes a cookie that only the page's path gets")
    func token() throws {
        try Daemon.run { daemon in
            let page = try PageVisit(daemon)
            #expect(try page.get(page.room).status == 403)
            #expect(
                try page.get("\(page.room)?token=\(String(repeating: "0", count: 32))").status
                    == 403)
            let first = try page.enter()
            #expect(first.status == 303)
            #expect(first.headers["location"] == page.room)
            let cookie = try #require(first.headers["set-cookie"])
            #expect(cookie.hasSuffix("; Path=\(page.room); HttpOnly; SameSite=Strict"))
            #expect(try page.get(page.room).status == 200)
            // The browser that has the cookie may open the address again; another may not.
            #expect(try page.get(page.firstPath).headers["location"] == page.room)
            let other = try page.ask("GET", page.firstPath, ["cookie": ""])
            #expect(other.status == 403)
            #expect(other.body.contains("was opened before"))
            for wrong in ["payqueue-page=0", "payqueue-page", "=", ";;;", "other=\(page.cookie)"] {
                #expect(try page.ask("GET", page.room, ["cookie": wrong]).status == 403)
            }
            #expect(try page.get("/").status == 404)
            #expect(try page.ask("DELETE", page.room).status == 405)
        }
    }

    @Test("A page says what it may load and run, and nothing may frame or keep it")
    func headers() throws {
        try Daemon.run { daemon in
            let page = try PageVisit(daemon)
            try page.enter()
            let (one, two) = (try page.get(page.room), try page.get(page.room))
            let policy = try #require(one.headers["content-security-policy"])
            #expect(policy.hasPrefix("default-src 'none'; "))
            for rule in [
                "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
                "connect-src 'self'", "require-trusted-types-for 'script'",
            ] {
                #expect(policy.contains(rule))
            }
            #expect(!policy.contains("unsafe"))
            let nonce = try #require(policy.firstMatch(of: #/script-src 'nonce-([0-9a-f]{32})'/#))
            #expect(one.body.contains(#"<script nonce="\#(nonce.1)">"#))
            #expect(two.headers["content-security-policy"] != policy)
            for answer in [one, try page.get("/"), try page.call("status")] {
                #expect(answer.headers["cache-control"] == "no-store")
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["referrer-policy"] == "no-referrer")
                #expect(answer.headers["content-security-policy"] != nil)
            }
            // Nothing leads elsewhere, and no place to fill in was forgotten.
            #expect(!one.body.contains("{{") && !one.body.contains("}}"))
            let links = one.body.matches(of: #/(?:src|href)\s*=\s*"([^"#][^"]*)"/#)
            #expect(links.isEmpty, "\(links.map { $0.1 })")
            #expect(!one.body.replacing("http://www.w3.org/2000/svg", with: "").contains("://"))
        }
    }

    @Test(
        "Other names of this machine, and other sites, are refused",
        arguments: [
            ["host": "evil.example"], ["host": "127.0.0.1"], ["host": "127.0.0.1:1"],
            ["host": "127.0.0.1.evil.example:PORT"], ["origin": "http://evil.example"],
            ["origin": "null"], ["origin": "http://127.0.0.1:1"], ["origin": "https://HOST"],
            ["sec-fetch-site": "cross-site"], ["sec-fetch-site": "same-site"],
        ])
    func strangers(headers: [String: String]) throws {
        try Daemon.run { daemon in
            let page = try PageVisit(daemon)
            try page.enter()
            let sent = headers.mapValues {
                $0.replacing("PORT", with: "\(page.port)").replacing("HOST", with: page.host)
            }
            let status = headers["host"] == nil ? 403 : 421
            #expect(try page.get(page.room, sent).status == status)
            #expect(try page.call("status", "{}", sent).status == status)
            #expect(try PageVisit.text(page.events("", sent)).contains(" \(status) "))
            // An address that was lured out of somebody is of no use either.
            let fresh = try PageVisit(daemon, name: "fresh")
            let lured = sent.mapValues { $0.replacing(page.host, with: fresh.host) }
            #expect(try fresh.get(fresh.firstPath, lured).headers["set-cookie"] == nil)
        }
    }

    @Test(
        "A call needs the cookie, the page's own token, an origin and JSON, and only known methods")
    func calls() throws {
        try Daemon.run { daemon in
            let page = try PageVisit(daemon)
            try page.enter()
            #expect(try page.call("status").body.contains(#""state":"running""#))
            #expect(try page.call("status", "{}", ["cookie": ""]).status == 403)
            #expect(try page.call("status", "{}", ["x-page-token": ""]).status == 403)
            #expect(try page.call("status", "{}", ["x-page-token": "0"]).status == 403)
            #expect(try page.call("status", "{}", ["origin": ""]).status == 403)
            #expect(try page.call("status", "{}", ["content-type": "text/plain"]).status == 415)
            #expect(try page.get("\(page.room)call").status == 405)
            for method in [
                "drain", "reload", "backup", "handover", "login", "subscribe", "nonsense", "",
            ] {
                #expect(try page.call(method).status == 403, "\(method)")
            }
            // What the daemon refuses is passed on as it is.
            let refused = try page.call("finish", #"{"transaction":"nothing"}"#)
            #expect(refused.status == 200 && refused.body.contains(#""code":1201"#))
            let bought = try page.call("add", #"{"product":"coins.100"}"#)
            #expect(bought.body.contains(#""state":"purchasing""#))
            let listed = try daemon.connect().call("transactions")
            #expect(
                listed["transactions"]?.array?.first?["by"]?["client"]?.string == "payqueuectl page"
            )
        }
    }

    @Test("A page that is read-only refuses every method that changes something")
    func readOnly() throws {
        try Daemon.run { daemon in
            let page = try PageVisit(daemon, "--read-only")
            try page.enter()
            #expect(try page.get(page.room).body.contains(#"data-mode="read-only""#))
            for method in ["status", "transactions", "events", "observers", "test.get"] {
                let params = method == "events" ? #"{"after":0}"# : "{}"
                #expect(try page.call(method, params).body.contains(#""result""#), "\(method)")
            }
            let before = try daemon.connect().call("status")["log"]?["head"]?.int
            for method in [
                "add", "restore", "finish", "answer", "decide", "test.set", "test.buy",
                "test.refund", "test.resolve", "test.renew", "test.expire", "test.autoRenew",
                "test.priceIncrease", "test.deleteOrder", "test.clear", "test.reset",
                "test.clock.advance",
            ] {
                let answer = try page.call(method)
                #expect(answer.status == 403, "\(method)")
                #expect(answer.body == "This page is read-only.\n")
            }
            #expect(try daemon.connect().call("status")["log"]?["head"]?.int == before)
        }
    }

    @Test("Events come with their numbers, go on behind the last, and jump when too many wait")
    func events() throws {
        try Daemon.run { daemon in
            let page = try PageVisit(daemon)
            try page.enter()
            let line = try daemon.connect()
            let head = try line.call("status")["log"]?["head"]?.int ?? 0
            let stream = try page.events("?after=\(head)")
            try Self.wait(stream) { $0.contains("content-type: text/event-stream") }
            try Self.wait(stream) { $0 == "event: connected" }
            try line.call("add", #"{"product":"coins.100"}"#)
            let id = try Self.wait(stream) { $0.hasPrefix("id: ") }
            let seen = try #require(Int(id.dropFirst(4)))
            #expect(seen > head)
            let data = try Self.wait(stream) { $0.hasPrefix("data: ") }
            #expect(try JSON(data.dropFirst(6))["seq"]?.int == seen)
            // The browser comes back: what it has is not sent again, whatever its address says.
            try line.call("add", #"{"product":"remove-ads"}"#)
            let again = try page.events("?after=0", ["last-event-id": "\(seen)"])
            try Self.wait(again) { $0.hasPrefix("id: ") }
            let next = try Self.wait(again) { $0.hasPrefix("data: ") }
            #expect(next.contains("remove-ads"), "\(next)")
            // A place that is not in this log is no dead end.
            let lost = try page.events("?after=999999")
            try Self.wait(lost) { $0 == "event: restarted" }
            try Self.wait(lost) { $0 == "event: connected" }
            let elsewhere = try page.events("?after=1&epoch=0123456789abcdef")
            try Self.wait(elsewhere) { $0 == "event: restarted" }
            try Self.wait(elsewhere) { $0 == "event: connected" }
            // Thousands are not sent: the page is told how far it jumps.
            for _ in 0..<10 {
                _ = try line.askAll((0..<30).map { _ in ("add", #"{"product":"coins.100"}"#) })
            }
            let late = try page.events("?after=\(seen)")
            try Self.wait(late) { $0 == "event: skipped" }
            let last = try line.call("status")["log"]?["head"]?.int ?? 0
            try Self.wait(late) { $0 == "id: \(last)" }
        }
    }

    @Test("The daemon restarts: the page says so, and goes on")
    func restart() throws {
        let daemon = try Daemon()
        try daemon.start()
        let page = try PageVisit(daemon)
        try page.enter()
        let stream = try page.events()
        try Self.wait(stream) { $0 == "event: connected" }
        try daemon.killHard()
        try Self.wait(stream) { $0 == "event: lost" }
        let gone = try page.call("status")
        #expect(gone.status == 503 && gone.body.contains("cannot connect"), "\(gone.body)")
        try daemon.start()
        try Self.wait(stream) { $0 == "event: connected" }
        #expect(try page.call("status").status == 200)
        try daemon.connect().call("add", #"{"product":"coins.100"}"#)
        try Self.wait(stream) { $0.hasPrefix("id: ") }
        try daemon.stop()
    }

    @Test("No bytes bring it down, and what is too long is refused")
    func hostile() throws {
        try Daemon.run { daemon in
            let page = try PageVisit(daemon)
            try page.enter()
            let long = String(repeating: "x", count: 70_000)
            #expect(
                try page.post(#"{"method":"status","params":{"trace":"\#(long)"}}"#).status == 413)
            for body in [
                "", "{", "[]", "null", "\u{0}", #"{"method":1}"#,
                #"{"method":"status","method":"x"}"#,
                String(repeating: "[", count: 60_000), #"{"params":{}}"#, #"{"method":"\ud800"}"#,
            ] {
                let status = try page.post(body).status
                #expect(status == 400 || status == 403, "\(body.prefix(40))")
            }
            #expect(try page.call("status", "7").body.contains(#""error""#))
            let huge =
                Array("POST \(page.room)call HTTP/1.1\r\nhost: \(page.host)\r\n".utf8)
                + Array("content-length: 9999999999\r\n\r\n".utf8)
                + [UInt8](repeating: 120, count: 2_000_000)
            _ = try? page.send(huge)
            let head =
                Array("GET / HTTP/1.1\r\nhost: \(page.host)\r\nx: ".utf8)
                + [UInt8](repeating: 97, count: 300_000) + Array("\r\n\r\n".utf8)
            if let answer = try? page.send(head) {
                #expect(answer.status >= 400 || answer.status == 0)
            }
            var random = Seeded(7)
            for _ in 0..<200 {
                let count = Int.random(in: 1...200, using: &random)
                let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
                let line = try page.connect()
                line.write(bytes)
                line.finishWriting()
            }
            #expect(eventually(within: 30) { try? page.call("status") } != nil)
            for address in [
                "*", "//", "http://evil.example/", "/%00", "/\(page.room)/..", "?token=",
            ] {
                #expect(try page.ask("GET", address).status >= 400, "\(address)")
            }
            for number in ["-1", "99999999999999999999", "x", "9223372036854775807"] {
                let stream = try page.events("?after=\(number)")
                #expect(try PageVisit.text(stream).contains(" 200 "))
            }
            #expect(try page.call("status").status == 200)
            #expect(page.child.poll() == nil)
        }
    }

    @Test("More connections than there may be are closed, and the others go on")
    func crowd() throws {
        try Daemon.run { daemon in
            let page = try PageVisit(daemon)
            try page.enter()
            var lines: [Line] = []
            for _ in 0..<50 { lines.append(try page.connect()) }
            #expect(try page.call("status").status == 200)
            for _ in 0..<30 { lines.append(try page.connect()) }
            #expect(throws: Line.End.closed) { try lines.last?.bytes(within: 60) }
            lines.removeAll()
            #expect(eventually(within: 30) { try? page.call("status") } != nil)
        }
    }

    @Test("It ends with 0 when it is interrupted, and says why it cannot begin")
    func ends() throws {
        let daemon = try Daemon()
        try daemon.start()
        let page = try PageVisit(daemon)
        try page.enter()
        let stream = try page.events()
        try Self.wait(stream) { $0 == "event: connected" }
        // Not on a terminal, the address is all that is printed.
        #expect(page.child.standardOutput.split(separator: "\n").count == 1)
        let taken = try Child.run(
            [Built.control, "page", "--port", "\(page.port)", "--socket", daemon.socket],
            in: daemon.place)
        #expect(taken.ending == .exit(3))
        #expect(
            taken.errors.contains("127.0.0.1:\(page.port): address already in use"),
            "\(taken.errors)")
        page.child.send(SIGINT)
        #expect(try page.child.wait() == .exit(0))
        #expect(page.child.standardError.isEmpty)
        try daemon.stop()
        let alone = try Child.run(
            [Built.control, "page", "--socket", daemon.socket], in: daemon.place)
        #expect(alone.ending == .exit(2))
        #expect(alone.errors.contains("cannot connect"))
    }

    /// Reads lines until one is as it should be, and returns that.
    @discardableResult
    private static func wait(_ stream: Line, until condition: (String) -> Bool) throws -> String {
        while true {
            let line = try PageVisit.text(stream, within: 60)
            if condition(line) { return line }
        }
    }
}
