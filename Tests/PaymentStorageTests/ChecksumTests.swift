import CCRC32C
import PaymentTesting
import Testing

@Suite("The checksum")
struct ChecksumTests {
    @Test(
        "is CRC-32C by the published examples",
        arguments: [
            (Array("123456789".utf8), 0xE306_9283),
            ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
            (Array(0...31), 0x46DD_794E),
            ([], 0),
        ] as [([UInt8], UInt32)])
    func knownAnswers(bytes: [UInt8], checksum: UInt32) {
        #expect(bytes.withUnsafeBytes { ccrc32c(0, $0.baseAddress, $0.count) } == checksum)
        #expect(bytes.withUnsafeBytes { ccrc32c_portable(0, $0.baseAddress, $0.count) } == checksum)
    }

    @Test("is the same with and without the processor's instruction")
    func agreement() {
        var generator = SeededGenerator(seed: 11)
        // From 3,072 bytes on, three blocks are digested at the same time.
        for length in Array(0..<300) + [3_071, 3_072, 3_080, 6_143, 6_151, 10_000] {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let seed = UInt32.random(in: .min ... .max, using: &generator)
            bytes.withUnsafeBytes { all in
                // Unaligned starts are what lines have.
                for start in 0..<min(8, length) {
                    let rest = UnsafeRawBufferPointer(rebasing: all[start...])
                    #expect(
                        ccrc32c(seed, rest.baseAddress, rest.count)
                            == ccrc32c_portable(seed, rest.baseAddress, rest.count))
                }
            }
        }
    }

    @Test("continues where it stopped")
    func continuation() {
        let bytes = Array("a line and the next".utf8)
        for cut in 0...bytes.count {
            let first = Array(bytes[..<cut])
            let rest = Array(bytes[cut...])
            let half = first.withUnsafeBytes { ccrc32c(0, $0.baseAddress, $0.count) }
            let whole = rest.withUnsafeBytes { ccrc32c(half, $0.baseAddress, $0.count) }
            #expect(whole == bytes.withUnsafeBytes { ccrc32c(0, $0.baseAddress, $0.count) })
        }
    }
}
