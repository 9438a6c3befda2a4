import Testing

@testable import Listening

@Suite struct AuthorityTests {
    @Test(
        arguments: [
            ("localhost", "localhost", nil), ("LocalHost:8480", "localhost", 8480),
            ("127.0.0.1:80", "127.0.0.1", 80), ("[::1]", "[::1]", nil), ("[::1]:9", "[::1]", 9),
            ("a-b.example", "a-b.example", nil), ("host:", "host", nil),
            ("host:65535", "host", 65535), ("[2001:DB8::1]", "[2001:db8::1]", nil),
        ] as [(String, String, UInt16?)])
    func `an authority is a host with an optional port`(text: String, host: String, port: UInt16?)
        throws
    {
        let authority = try #require(Authority(text))
        #expect(authority.host == host && authority.port == port)
    }

    @Test(
        arguments: [
            "", ":80", "127.0.0.1:80@evil.example", "user@localhost", "localhost@", "a b", "a,b",
            "host:65536", "host:-1", "host:8x", "host:1:2", "[::1", "::1", "[::1]x", "[::1]@evil",
            "[]", "[1]", "[::1%lo]", "[fe80::1%25eth0]", "http://localhost", "localhost/", "h?q",
            "h#f", "höst", "%31", "\u{0}", "a\tb", "[::1\u{0}]", String(repeating: "a", count: 256),
        ])
    func `everything else is not`(text: String) {
        #expect(Authority(text) == nil)
    }

    @Test(
        arguments: [
            ("localhost:1", true), ("LOCALHOST", true), ("[::1]:8480", true), ("127.0.0.1", true),
            ("127.0.0.1.evil.example", false), ("localhost.evil.example", false), ("[::2]", false),
        ])
    func `only names and addresses of the loopback interface are local`(text: String, isLocal: Bool)
    {
        #expect(Authority(text)?.isLoopback == isLocal)
    }
}
