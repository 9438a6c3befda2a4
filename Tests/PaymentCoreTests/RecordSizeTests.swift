import Testing

@testable import PaymentCore

/// The number of bytes of a text in a line.
@Suite struct RecordSizeTests {
    /// The size byte by byte.
    private func reference(_ text: String) -> Int {
        text.utf8.reduce(2) { $0 + RecordSize.quoted($1) }
    }

    @Test func `a byte that is escaped counts at every place of a text`() {
        for escaped in ["\"", "\\", "\u{0}", "\u{1F}", " ", "\u{7F}", "é", "€"] {
            for length in 0..<18 {
                for place in 0...length {
                    let text =
                        String(repeating: "a", count: place) + escaped
                        + String(repeating: "z", count: length - place)
                    #expect(RecordSize.quoted(text) == reference(text), "\(escaped) at \(place)")
                }
            }
        }
    }

    @Test func `eight plain bytes are recognized at once, and no others`() {
        let plain = UInt64(littleEndian: 0x6161_6161_6161_6161)
        #expect(plain.hasNoEscapedByte)
        for byte in UInt8.min...UInt8.max {
            for place in 0..<8 {
                let shift = UInt64(8 * place)
                let word = plain & ~(0xFF << shift) | UInt64(byte) << shift
                let isPlain = RecordSize.quoted(byte) == 1 && byte < 0x80
                #expect(word.hasNoEscapedByte == isPlain, "\(byte) at \(place)")
            }
        }
    }
}
