internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// One POST of JSON over a connection of its own. What the answer says besides its status is not read.
struct HTTPPost {
    /// The collector's response.
    enum Answer: Sendable {
        case taken
        /// The collector refused the request; a retry would be refused again.
        case refused
        /// The collector is temporarily unavailable; the value is the HTTP status.
        case busy(UInt)
    }

    /// The failure for a missing response within the time limit.
    struct TimedOut: Error, CustomStringConvertible {
        let description = "it does not answer in time"
    }

    /// The failure for a connection that could not be made. It replaces the library's error, which
    /// is not written for users.
    struct Unreachable: Error, CustomStringConvertible {
        let description = "it cannot be reached"
    }

    /// The failure for a connection that ended before the response.
    struct Closed: Error, CustomStringConvertible {
        let description = "it closed the connection without an answer"
    }

    let endpoint: OTLPEndpoint
    let body: [UInt8]

    /// Connects, sends the request, and closes the connection after the response.
    func run(on loop: any EventLoop, within patience: TimeAmount) -> EventLoopFuture<Answer> {
        let answer = loop.makePromise(of: Answer.self)
        let timer = loop.scheduleTask(in: patience) { answer.fail(TimedOut()) }
        let connected = ClientBootstrap(group: loop)
            .connectTimeout(patience)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let operations = channel.pipeline.syncOperations
                    try operations.addHTTPClientHandlers()
                    try operations.addHandler(AnswerHandler(post: self, answer: answer))
                }
            }
            .connect(host: endpoint.host, port: endpoint.port)
        connected.whenFailure { _ in answer.fail(Unreachable()) }
        answer.futureResult.whenComplete { _ in
            timer.cancel()
            connected.whenSuccess { $0.close(promise: nil) }
        }
        return answer.futureResult
    }
}

/// A handler that sends the request on connection and reads the status of the response.
private final class AnswerHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let post: HTTPPost
    private let answer: EventLoopPromise<HTTPPost.Answer>

    init(post: HTTPPost, answer: EventLoopPromise<HTTPPost.Answer>) {
        self.post = post
        self.answer = answer
    }

    func channelActive(context: ChannelHandlerContext) {
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: post.endpoint.path)
        head.headers.add(name: "host", value: post.endpoint.authority)
        head.headers.add(name: "content-type", value: "application/json")
        head.headers.add(name: "content-length", value: "\(post.body.count)")
        head.headers.add(name: "connection", value: "close")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let body = context.channel.allocator.buffer(bytes: post.body)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        switch head.status.code {
        case 200..<300: answer.succeed(.taken)
        // The statuses that OTLP defines as retryable, and those that proxies use.
        case 408, 429, 500..<600: answer.succeed(.busy(head.status.code))
        default: answer.succeed(.refused)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        answer.fail(HTTPPost.Closed())
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(error)
        context.close(promise: nil)
    }
}
