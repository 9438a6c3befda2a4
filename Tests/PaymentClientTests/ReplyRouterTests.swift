import Testing

@testable import PaymentClient

/// What becomes of calls whose tasks are cancelled.
@Suite("Calls of a connection")
struct ReplyRouterTests {
    /// What a call ends with. There is no connection, so one that was not cancelled fails by that.
    private func ending(
        of id: Int, _ cancellation: CallCancellation, _ router: ReplyRouter
    ) async -> any Error {
        do {
            _ = try await withCheckedThrowingContinuation { continuation in
                let call = PendingCall(
                    id: id, method: "ping", timeout: nil, cancellation: cancellation,
                    continuation: continuation)
                router.send(call, line: [])
            }
            return Unanswerable()
        } catch {
            return error
        }
    }

    private struct Unanswerable: Error {}

    @Test("A call that is cancelled before it is sent ends so, whatever was sent before it")
    func cancelledBeforeSending() async {
        let router = ReplyRouter(path: "nowhere")
        #expect(await ending(of: 5, CallCancellation(), router) is ConnectionFailure)
        let early = CallCancellation()
        early.cancel()
        router.abandon(4)
        #expect(await ending(of: 4, early, router) is CancellationError)
        #expect(await ending(of: 6, CallCancellation(), router) is ConnectionFailure)
    }
}
