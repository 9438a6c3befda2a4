import PaymentAPI
import Testing

@Suite struct VersionTests {
    @Test func `the version is three numbers`() {
        let parts = Version.current.split(separator: ".")
        #expect(parts.count == 3)
        #expect(parts.allSatisfy { UInt($0) != nil })
    }
}
