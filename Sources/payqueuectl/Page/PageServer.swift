import NIOCore
import NIOHTTP1
import PaymentClient
import StrictJSON

/// Answers the requests of a connection, one after another.
struct PageServer: Sendable {
    let access: PageAccess
    let daemon: PageDaemon
    let isReadOnly: Bool

    /// The maximum length of a call in bytes, which is the daemon's maximum line length.
    static let bodyLimitBytes = 65_536
    /// The number of bytes that are read of a body that is too long, so that its sender receives
    /// the response.
    private static let readLimitBytes = 1_048_576

    /// The received part of a request.
    private struct Request {
        var head: HTTPRequestHead
        var body: [UInt8] = []
        var length = 0
    }

    /// Serves a connection until either side closes it.
    func serve(_ client: PageListener.Client) async throws {
        try await client.executeThenClose { inbound, outbound in
            var request: Request?
            for try await part in inbound {
                switch part {
                case .head(let head): request = Request(head: head)
                case .body(let bytes):
                    request?.length += bytes.readableBytes
                    guard let length = request?.length, length <= Self.readLimitBytes else {
                        return
                    }
                    if length <= Self.bodyLimitBytes { request?.body += bytes.readableBytesView }
                case .end:
                    guard let whole = request else { return }
                    request = nil
                    guard try await answer(whole, client.channel, outbound) else { return }
                }
            }
        }
    }

    /// Answers a request.
    ///
    /// - Returns: Whether another request may follow on the connection.
    private func answer(
        _ request: Request, _ channel: any Channel,
        _ outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    ) async throws -> Bool {
        let verdict = access.verdict(on: request.head)
        if verdict == .events {
            try await PageFeed(request.head, path: daemon.path).run(channel, outbound)
            return false
        }
        let answer = await answer(to: request, verdict)
        let isLast = !request.head.isKeepAlive
        try await outbound.write(contentsOf: answer.parts(for: request.head, isLast: isLast))
        return !isLast
    }

    private func answer(to request: Request, _ verdict: PageAccess.Verdict) async -> PageAnswer {
        switch verdict {
        case .refused(let status, let sentence): .sentence(status, sentence)
        case .admitted: .redirect(to: access.room, headers: [("set-cookie", access.setCookie)])
        case .known: .redirect(to: access.room)
        case .page, .events: PageText.answer(token: access.pageToken, isReadOnly: isReadOnly)
        case .call: await answer(toCall: request)
        }
    }

    private func answer(toCall request: Request) async -> PageAnswer {
        guard request.length <= Self.bodyLimitBytes else {
            return .sentence(.payloadTooLarge, "A call has at most \(Self.bodyLimitBytes) bytes.")
        }
        guard let text = String(validating: request.body, as: UTF8.self),
            let call = try? JSONValue(parsing: text, limits: JSONLimits()),
            let method = call["method"]?.stringValue
        else { return .sentence(.badRequest, "A call is an object with the member 'method'.") }
        if let refusal = PageMethods.refusal(of: method, isReadOnly: isReadOnly) {
            return .sentence(.forbidden, refusal)
        }
        do {
            return .json(try await daemon.answer(to: method, call["params"]))
        } catch let failure as ConnectionFailure {
            return .sentence(.serviceUnavailable, failure.description)
        } catch {
            return .sentence(.serviceUnavailable, "\(error)")
        }
    }
}
