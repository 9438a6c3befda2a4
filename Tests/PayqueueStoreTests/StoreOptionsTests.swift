import PaymentHistory
import Testing

@testable import payqueue_store

@Suite struct StoreOptionsTests {
    @Test(
        arguments: [
            (nil, nil, 2), ("0", nil, 0), ("30", nil, 30), (nil, "7", 7), ("5", "7", 5),
            ("31", nil, nil), ("-1", nil, nil), ("1.5", nil, nil), (nil, "", nil),
            (nil, "soon", nil),
        ] as [(String?, String?, Int64?)])
    func `the leeway of merchants' clocks is a few whole seconds`(
        flag: String?, variable: String?, seconds: Int64?
    ) throws {
        let words = ["--demo"] + (flag.map { ["--merchant-leeway=\($0)"] } ?? [])
        let options = try StoreOptions.parse(words)
        let environment = variable.map { ["PAYQUEUE_STORE_MERCHANT_LEEWAY": $0] } ?? [:]
        let found = try? StoreConfiguration(options, environment: environment)
        #expect(found?.merchantLeewaySeconds == seconds)
    }

    @Test(
        arguments: [
            ("DEMO", "1", nil), ("DEMO", "yes", nil), ("DEMO", "true", nil),
            ("DEMO", "on", "'on' as environment PAYQUEUE_STORE_DEMO: expected true or false"),
            ("DEMOO", "1", "'PAYQUEUE_STORE_DEMOO'; did you mean 'PAYQUEUE_STORE_DEMO'?"),
            ("STATE_DIR", "/x", "'PAYQUEUE_STORE_STATE_DIR'"),
        ] as [(String, String, String?)])
    func `a variable that sets nothing is refused`(
        name: String, value: String, refusal: String?
    ) throws {
        let options = try StoreOptions.parse([])
        let environment = ["PAYQUEUE_STORE_" + name: value]
        do {
            #expect(try StoreConfiguration(options, environment: environment).demo)
            #expect(refusal == nil)
        } catch {
            #expect("\(error)".contains(try #require(refusal)), "\(error)")
        }
    }
}
