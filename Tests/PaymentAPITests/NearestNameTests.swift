import PaymentAPI
import Testing

@Suite struct NearestNameTests {
    @Test(
        arguments: [
            ("subcribe", "subscribe"), ("fnish", "finish"), ("Finish", "finish"),
            ("lgoin", "login"), ("transaction", "transactions"), ("rpc.discovr", "rpc.discover"),
            ("test.order", "test.orders"), ("PING", "ping"),
        ])
    func `a typing mistake finds the name that was meant`(given: String, meant: String) {
        #expect(NearestName.find(given, in: Contract.names) == meant)
    }

    @Test(arguments: ["", "x", "reimburse", "getblockchaininfo", "ab"])
    func `what resembles nothing finds nothing`(given: String) {
        #expect(NearestName.find(given, in: Contract.names) == nil)
    }

    @Test(
        arguments: [
            ("askToBuy", "askToBuyEnabled"), ("asktobuy", "askToBuyEnabled"),
            ("askTobyu", "askToBuyEnabled"), ("ask", "askToBuyEnabled"), ("latency", "latencyMs"),
            ("locat", "locale"), ("lo", nil), ("boughtEnabled", nil),
        ])
    func `a name that was not typed to its end is found by its beginning`(
        given: String, meant: String?
    ) {
        #expect(NearestName.find(given, in: ["locale", "latencyMs", "askToBuyEnabled"]) == meant)
    }

    @Test(
        arguments: [
            ("token", "appAccountToken"), ("accountToken", "appAccountToken"),
            ("ount", nil), ("account", nil),
            ("ken", "key"),
            ("tokens", nil),
        ])
    func `the end of a name finds it`(given: String, meant: String?) {
        #expect(NearestName.find(given, in: ["product", "appAccountToken", "key"]) == meant)
    }

    @Test func `of equally near names the first is found`() {
        #expect(NearestName.find("cat", in: ["bat", "hat"]) == "bat")
        #expect(NearestName.find("cat", in: ["hat", "bat"]) == "hat")
    }

    @Test func `a swap of neighbours is one edit`() {
        #expect(NearestName.find("abc", in: ["acb"]) == "acb")
        #expect(NearestName.find("abc", in: ["cab"]) == nil)
    }

    @Test func `one edit is allowed for every three letters`() {
        #expect(NearestName.find("abxxef", in: ["abcdef"]) == "abcdef")
        #expect(NearestName.find("axxxef", in: ["abcdef"]) == nil)
    }

    @Test func `names beyond 64 bytes are not compared`() {
        let longest = String(repeating: "a", count: 64)
        #expect(NearestName.find(longest, in: [longest]) == longest)
        #expect(NearestName.find(longest + "a", in: [longest]) == nil)
        #expect(NearestName.find(longest, in: [longest + "a"]) == nil)
    }
}
