import PaymentHistory
import Testing

@Suite struct Base64URLTests {
    /// RFC 4648 section 10 without padding, and the example of RFC 7515 appendix C.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
        ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
    ])
    func `the examples of the standard are read and written`(plain: String, spelled: String) {
        #expect(Base64URL.encode(plain.utf8) == spelled)
        #expect(Base64URL.decode(spelled.utf8) == Array(plain.utf8))
    }

    @Test func `the bytes of the standard's appendix use both letters of the alphabet`() {
        #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
        #expect(Base64URL.decode("A-z_4ME".utf8) == [3, 236, 255, 224, 193])
    }

    @Test(arguments: [
        "A", "AAAAA", "Zg==", "Zg=", "Zh", "Zm9", "Zm8=", "Zm9v ", " Zm9v", "Zm9v\n", "A+z/4ME",
        "Zm.v", "Zmö",
    ])
    func `whatever an encoder would not write is refused`(text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }

    @Test func `every length and every byte comes back`() {
        for length in 0..<70 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
            #expect(Base64URL.decode(Base64URL.encode(bytes).utf8) == bytes)
        }
        let all = Array(UInt8.min ... .max)
        #expect(Base64URL.decode(Base64URL.encode(all).utf8) == all)
    }
}
