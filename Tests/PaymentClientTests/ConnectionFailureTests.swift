import PaymentClient
import Testing

/// What is said of a connection that cannot be made.
@Suite("Failed connections")
struct ConnectionFailureTests {
    @Test(
        "A path that leads to something else is said to be no socket",
        arguments: ["/etc", "/etc/passwd", "/dev/null", ""])
    func noSocket(path: String) async {
        let failure = await #expect(throws: ConnectionFailure.self) {
            _ = try await PaymentConnection.connect(to: path)
        }
        #expect(failure?.kind == .notConnected)
        #expect(failure?.description == "cannot connect to '\(path)': that is not a socket")
        #expect(failure?.advice.contains("--socket") == true)
    }

    @Test("A path that leads nowhere is told with how to start the daemon")
    func missing() async {
        let failure = await #expect(throws: ConnectionFailure.self) {
            _ = try await PaymentConnection.connect(to: "/tmp/payqueued-no-such-socket")
        }
        #expect(failure?.description.contains("no such file") == true)
        #expect(failure?.advice.contains("start payqueued") == true)
    }
}
