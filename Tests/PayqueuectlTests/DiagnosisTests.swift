import StrictJSON
import Testing

@testable import payqueuectl

/// What the doctor finds.
@Suite("The doctor")
struct DiagnosisTests {
    private static let hello = #"{"server":{"version":"1"},"roles":["observe","buy"]}"#
    private static let healthy = #"""
        {"state":"running","account":"demo","persistence":{"volatile":false},
        "store":{"name":"sandbox","state":"available"},"canMakePayments":{"value":true},
        "queue":{"waitingFor":{}},"questions":0}
        """#
    private static let observers = #"{"observers":[{"connected":true,"passive":false}]}"#

    private static func findings(
        hello: String = hello, status: String = healthy, observers: String = observers
    ) throws -> [Finding] {
        Diagnosis.findings(
            hello: try JSONValue(parsing: hello), status: try JSONValue(parsing: status),
            observers: try JSONValue(parsing: observers), connection: " --socket /s")
    }

    @Test("A healthy daemon has nothing but good findings")
    func healthy() throws {
        #expect(try Self.findings().allSatisfy { $0.level == .good })
    }

    @Test(
        "Each trouble is told with what to do",
        arguments: [
            (#""running""#, #""draining""#, "draining", "drain off"),
            (#""account":"demo""#, #""account":null"#, "nobody is logged in", "login NAME"),
            (#""value":true"#, #""value":false,"reason":"parental""#, "parental", "allow"),
            (#""available""#, #""unreachable","lastError":"no route""#, "no route", "store"),
            (#""waitingFor":{}"#, #""waitingFor":{"observer":2}"#, "2 purchases", "--observe"),
            (
                #""volatile":false"#, #""volatile":false,"lastError":"disk full""#, "disk full",
                "make room"
            ),
        ])
    func troubles(part: String, replacement: String, sentence: String, advice: String) throws {
        let status = Self.healthy.replacing(part, with: replacement)
        let bad = try Self.findings(status: status).filter { $0.level == .bad }
        #expect(bad.count == 1)
        #expect(bad.first?.sentence.contains(sentence) == true)
        #expect(bad.first?.advice?.contains(advice) == true)
    }

    @Test("A daemon that nobody observes, or on a volatile disk, works but is worth a note")
    func notes() throws {
        let passive = #"{"observers":[{"connected":true,"passive":true}]}"#
        let status = Self.healthy.replacing(#""volatile":false"#, with: #""volatile":true"#)
        let found = try Self.findings(status: status, observers: passive)
        #expect(found.count { $0.level == .notable } == 2)
        #expect(!found.contains { $0.level == .bad })
    }

    @Test("Something else on the socket is told apart")
    func stranger() throws {
        #expect(try Self.findings(hello: "{}").contains { $0.level == .bad })
    }
}
