import PaymentCore
import PaymentHistory
import StrictJSON
import Testing

@Suite struct MerchantTests {
    private let order = "3e46c75a-7e04-4530-979a-e275f3a7c50c"

    private func reply(
        _ authenticator: MerchantAuthenticator, _ authorization: [String], order: String? = nil,
        at now: Timestamp = Samples.now
    ) -> MerchantReply? {
        let request = MerchantRequest(order: order ?? self.order, authorization: authorization)
        guard case .refused(let reply) = authenticator.admit(request, now: now) else { return nil }
        return reply
    }

    private func token(_ wrong: WrongTokens, _ id: String, at now: Timestamp = Samples.now)
        -> [String]
    {
        let secret = wrong.mine.secrets[0]
        return [
            "Bearer "
                + MerchantToken.make(
                    merchant: wrong.mine.id, keyID: secret.keyID, secret: secret.text, id: id,
                    now: now)
        ]
    }

    @Test func `a right token is let in, once`() throws {
        let wrong = try WrongTokens()
        let authenticator = MerchantAuthenticator(registry: wrong.registry)
        let request = MerchantRequest(order: order, authorization: ["bearer " + wrong.right])
        #expect(
            authenticator.admit(request, now: Samples.now)
                == .admitted(order: try #require(OrderID(order)), merchant: wrong.mine.id))
        let again = try #require(reply(authenticator, request.authorization))
        #expect(again.status == 401 && again.reason == "replayed")
    }

    @Test func `each wrong token is refused for a reason of its own, in the same words`() throws {
        let wrong = try WrongTokens()
        let cases = try wrong.cases()
        #expect(cases.count >= 60)
        let authenticator = MerchantAuthenticator(registry: wrong.registry)
        let first = try #require(reply(authenticator, []))
        for entry in cases {
            let answer = reply(authenticator, entry.authorization)
            #expect(answer?.reason == entry.word, "\(entry.what)")
            #expect(answer?.status == 401, "\(entry.what)")
            #expect(answer?.body == first.body && answer?.headers == first.headers, "\(entry.what)")
            #expect(answer?.merchant == nil, "\(entry.what)")
        }
        // None of them has used the right token up.
        #expect(reply(authenticator, ["Bearer " + wrong.right]) == nil)
    }

    @Test func `the edges of a window are let in`() throws {
        let wrong = try WrongTokens()
        let now = Samples.now.milliseconds / 1000
        let windows: [(JSONValue, JSONValue)] = [
            (.integer(now + 2), .integer(now + 3)), (.integer(now - 31), .integer(now - 1)),
            (.integer(now), .number("\(now + 30).000")),
            (.number("\(now - 1).5"), .integer(now + 29)),
        ]
        let authenticator = MerchantAuthenticator(registry: wrong.registry)
        for (index, window) in windows.enumerated() {
            let claims = wrong.text(
                wrong.claims,
                ["nbf": window.0, "exp": window.1, "jti": .string("edge-\(index)")])
            #expect(
                reply(authenticator, ["Bearer " + wrong.token(claims: claims)]) == nil, "\(window)")
        }
        let listed = wrong.text(wrong.claims, ["aud": ["onside"], "jti": "listed"])
        #expect(reply(authenticator, ["Bearer " + wrong.token(claims: listed)]) == nil)
    }

    @Test func `without leeway the edges are sharp`() throws {
        let wrong = try WrongTokens()
        let authenticator = MerchantAuthenticator(
            registry: wrong.registry, policy: MerchantPolicy(leewaySeconds: 0))
        let tokens = token(wrong, "sharp")
        let end = Samples.now.advanced(bySeconds: 30)
        let before = Timestamp(milliseconds: Samples.now.milliseconds - 1)
        #expect(reply(authenticator, tokens, at: before)?.reason == "notYetValid")
        #expect(reply(authenticator, tokens, at: end)?.reason == "expired")
        #expect(
            reply(authenticator, tokens, at: Timestamp(milliseconds: end.milliseconds - 1)) == nil)
    }

    @Test func `tokens are told apart by the bytes of their jti`() throws {
        let wrong = try WrongTokens()
        let authenticator = MerchantAuthenticator(registry: wrong.registry)
        for id in ["\u{E9}", "e\u{301}", "\u{212A}", "K"] {
            #expect(reply(authenticator, token(wrong, id)) == nil)
            #expect(reply(authenticator, token(wrong, id))?.reason == "replayed")
        }
    }

    @Test(arguments: [(0, 0), (2, 2), (30, 30), (31, 30), (-1, 0)] as [(Int64, Int64)])
    func `a token that begins later is let in within the leeway`(
        asked: Int64, granted: Int64
    ) throws {
        let wrong = try WrongTokens()
        let authenticator = MerchantAuthenticator(
            registry: wrong.registry, policy: MerchantPolicy(leewaySeconds: asked))
        let late = token(wrong, "a", at: Samples.now.advanced(bySeconds: granted + 1))
        #expect(reply(authenticator, late)?.reason == "notYetValid")
        #expect(
            reply(authenticator, token(wrong, "b", at: Samples.now.advanced(bySeconds: granted)))
                == nil)
    }

    @Test func `two merchants may use the same jti`() throws {
        let wrong = try WrongTokens()
        let authenticator = MerchantAuthenticator(registry: wrong.registry)
        #expect(reply(authenticator, token(wrong, "same")) == nil)
        let secret = wrong.other.secrets[0]
        let theirs = MerchantToken.make(
            merchant: wrong.other.id, keyID: secret.keyID, secret: secret.text, id: "same",
            now: Samples.now)
        #expect(reply(authenticator, ["Bearer " + theirs]) == nil)
    }

    @Test func `what is no order is a bad request, told to those only who may ask`() throws {
        let wrong = try WrongTokens()
        let authenticator = MerchantAuthenticator(registry: wrong.registry)
        for (index, text) in ["", "1", order.uppercased(), order + "0", "../x"].enumerated() {
            let answer = try #require(
                reply(authenticator, token(wrong, "bad-\(index)"), order: text))
            #expect(answer.status == 400 && answer.reason == "badOrderID")
            let body = try JSONValue(parsing: answer.body)
            #expect(body["error"]?["code"] == "badRequest")
        }
        #expect(reply(authenticator, [], order: "x")?.status == 401)
    }

    @Test func `a merchant that asks too often is told when to come again`() throws {
        let wrong = try WrongTokens()
        let authenticator = MerchantAuthenticator(
            registry: wrong.registry, policy: MerchantPolicy(burst: 3, perSecond: 1))
        for index in 0..<3 { #expect(reply(authenticator, token(wrong, "burst-\(index)")) == nil) }
        let late = token(wrong, "late")
        let refused = try #require(reply(authenticator, late))
        #expect(refused.status == 429 && refused.reason == "tooManyRequests")
        #expect(refused.headers.contains(.init(name: "Retry-After", value: "1")))
        #expect(try JSONValue(parsing: refused.body)["error"]?["code"] == "tooManyRequests")
        // The token was not used up, and a second later it is let in.
        #expect(reply(authenticator, late, at: Samples.now.advanced(bySeconds: 1)) == nil)
        #expect(
            reply(authenticator, late, at: Samples.now.advanced(bySeconds: 2))?.reason == "replayed"
        )
    }

    @Test func `a full memory lets nobody in and forgets nobody too early`() throws {
        let wrong = try WrongTokens()
        let policy = MerchantPolicy(burst: 100, perSecond: 100, rememberedTokens: 2)
        let authenticator = MerchantAuthenticator(registry: wrong.registry, policy: policy)
        let first = token(wrong, "first")
        #expect(reply(authenticator, first) == nil)
        #expect(reply(authenticator, token(wrong, "second")) == nil)
        #expect(reply(authenticator, token(wrong, "third"))?.reason == "memoryFull")
        #expect(
            reply(authenticator, first, at: Samples.now.advanced(bySeconds: 31))?.reason
                == "replayed")
        let later = Samples.now.advanced(bySeconds: 200)
        #expect(reply(authenticator, token(wrong, "fourth", at: later), at: later) == nil)
    }

    @Test func `tokens that were used before a restart stay used`() throws {
        let wrong = try WrongTokens()
        var kept: [(ReplayMemory.Token, Timestamp)] = []
        let before = MerchantAuthenticator(registry: wrong.registry)
        let tokens = token(wrong, "kept")
        let request = MerchantRequest(order: order, authorization: tokens)
        _ = before.admit(request, now: Samples.now) { kept.append(($0, $1)) }
        #expect(kept.count == 1)
        let after = MerchantAuthenticator(registry: wrong.registry)
        for entry in kept { after.remember(entry.0, until: entry.1, now: Samples.now) }
        #expect(reply(after, tokens)?.reason == "replayed")
    }

    @Test func `a rotated secret is accepted until its end, a revoked one not at all`() throws {
        let wrong = try WrongTokens()
        var random = Numbers(state: 11)
        var registry = wrong.registry
        let end = Samples.now.advanced(bySeconds: 10)
        let fresh = try registry.rotate(
            wrong.mine.id, at: Samples.now, formerUntil: end, using: &random)
        let authenticator = MerchantAuthenticator(registry: registry)
        #expect(reply(authenticator, token(wrong, "old")) == nil)
        #expect(
            reply(authenticator, token(wrong, "late", at: end), at: end)?.reason == "revokedKey")
        let new = MerchantToken.make(
            merchant: wrong.mine.id, keyID: fresh.keyID, secret: fresh.text, id: "new", now: end)
        #expect(reply(authenticator, ["Bearer " + new], at: end) == nil)
        try registry.revoke(wrong.mine.id, key: fresh.keyID, at: end)
        authenticator.use(registry)
        let after = end.advanced(bySeconds: 1)
        let last = MerchantToken.make(
            merchant: wrong.mine.id, keyID: fresh.keyID, secret: fresh.text, id: "last", now: after)
        #expect(reply(authenticator, ["Bearer " + last], at: after)?.reason == "revokedKey")
    }
}
