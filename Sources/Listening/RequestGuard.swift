package import NIOCore
package import NIOHTTP1

/// Enforces ``RequestRules`` on a connection, and answers what the HTTP parser rejects.
///
/// Responses keep the order of requests: a refusal waits for the responses before it, and the
/// connection is closed after it. It must directly follow the request decoder.
package final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    /// Returns the media type and the bytes of a refusal's body.
    package typealias Page = @Sendable (RequestRefusal) -> (type: String, bytes: [UInt8])

    /// The time in which a client can read the refusal before the connection is closed. Until then
    /// the rest of its request is discarded, because TCP would discard the refusal otherwise.
    private static let patience = TimeAmount.seconds(1)

    /// The progress of the refused request.
    private enum State {
        case serving
        /// The refusal is sent after the responses that come before it.
        case refusing(RequestRefusal)
        case refused
    }

    private let rules: RequestRules
    private let page: Page
    private var state = State.serving
    /// The requests that were passed on and whose responses have not ended.
    private var openRequests = 0
    private var isReceiving = false
    private var receivedBytes = 0
    private var hasResponseBegun = false
    private var isHead = false
    /// Closes the connection of a client that does not read its refusal. Cancelled with the connection, which
    /// would stay in memory until then.
    private var timer: Scheduled<Void>?

    private init(_ rules: RequestRules, page: @escaping Page) {
        self.rules = rules
        self.page = page
    }

    /// Adds a guard to a channel with an HTTP server pipeline. Must be called on its loop.
    ///
    /// - Throws: The channel has no request decoder.
    package static func install(
        on channel: any Channel, _ rules: RequestRules, page: @escaping Page
    ) throws {
        let operations = channel.pipeline.syncOperations
        let decoder = try operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try operations.addHandler(RequestGuard(rules, page: page), position: .after(decoder))
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .serving = state else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            isHead = head.method == .HEAD
            do throws(RequestRefusal) {
                try rules.check(&head, isOfThisMachine: context.channel.isOfThisMachine)
            } catch {
                return refuse(error, context)
            }
            openRequests += 1
            isReceiving = true
            receivedBytes = 0
            context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body(let bytes):
            receivedBytes += bytes.readableBytes
            guard receivedBytes <= rules.bodyLimit else { return refuse(rules.tooLarge, context) }
            context.fireChannelRead(data)
        case .end:
            isReceiving = false
            context.fireChannelRead(data)
        }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case let error as HTTPParserError:
            guard case .serving = state else { return }
            if !isReceiving { isHead = false }
            refuse(RequestRefusal(error), context)
        case ByteToMessageDecoderError.dataReceivedInErrorState:
            // The parser does not read after an error.
            break
        default: context.fireErrorCaught(error)
        }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .refused = state, event as? ChannelEvent == .inputClosed {
            return context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    package func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        if case .refused = state {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head):
            hasResponseBegun = true
            addSecurity(to: &head)
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            hasResponseBegun = false
            openRequests -= 1
            context.write(data, promise: promise)
            settle(context)
        }
    }

    private func addSecurity(to head: inout HTTPResponseHead) {
        guard rules.isSecure else { return }
        head.headers.replaceOrAdd(
            name: "strict-transport-security", value: "max-age=31536000")
    }

    private func refuse(_ refusal: RequestRefusal, _ context: ChannelHandlerContext) {
        state = .refusing(refusal)
        settle(context)
    }

    /// Answers the refused request when its turn has come.
    private func settle(_ context: ChannelHandlerContext) {
        guard case .refusing(let refusal) = state else { return }
        // A request that is refused while its body arrives was passed on and is counted.
        guard openRequests <= (isReceiving ? 1 : 0) else { return }
        guard !isReceiving || openRequests == 0 || !hasResponseBegun else { return }
        let isAnswered = isReceiving && openRequests == 0
        state = .refused
        if !isAnswered { answer(refusal, context) }
        close(context)
    }

    private func answer(_ refusal: RequestRefusal, _ context: ChannelHandlerContext) {
        let (type, bytes) = page(refusal)
        var head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: refusal.status))
        head.headers.add(name: "content-type", value: type)
        head.headers.add(name: "content-length", value: "\(bytes.count)")
        head.headers.add(name: "cache-control", value: "no-store")
        head.headers.add(name: "connection", value: "close")
        addSecurity(to: &head)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !isHead {
            let body = context.channel.allocator.buffer(bytes: bytes)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
    }

    /// Sends what is written, then closes the connection in both directions.
    private func close(_ context: ChannelHandlerContext) {
        context.flush()
        let channel = context.channel
        let ended = context.eventLoop.makePromise(of: Void.self)
        ended.futureResult.whenFailure { _ in channel.close(promise: nil) }
        // Before the output ends, which may close the channel.
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) {
            channel.close(promise: nil)
        }
        context.close(mode: .output, promise: ended)
    }
}

@available(*, unavailable)
extension RequestGuard: Sendable {}
