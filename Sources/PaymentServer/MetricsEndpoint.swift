import Listening
public import NIOCore
import NIOHTTP1
import NIOPosix
import PaymentAPI

/// Serves measurements and health over HTTP, for programs that support only HTTP.
///
/// - `GET /metrics` returns the measurements as OpenMetrics text.
/// - `GET /healthz` returns 200: the loop that serves the clients runs.
/// - `GET /readyz` returns 200 while new payments are accepted. It returns 503 while the daemon drains,
///   stops, lacks disk space or serves its state read-only, and while a node that forwards calls knows no owner of
///   the queue. The body is the state that `status` shows, or `noOwner`.
///
/// Every client that can open the socket may read, because the answers contain only numbers and constant
/// words. A connection is closed after one answer, so that a series of requests cannot block the loop or
/// fill memory with unread answers.
extension PaymentServer {
    /// The time limit of one scrape, connecting and reading included.
    private static let patience = TimeAmount.seconds(10)
    /// The maximum number of connected scrapers, because they use the same loop as the clients.
    private static let scraperLimit = 16
    private static let rules = RequestRules(bodyLimit: 1024, isSecure: false)
    private static var headerLimits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 8 * 1024
        limits.maxHeaderListSize = 32 * 1024
        limits.maxHeaderFieldCount = 100
        return limits
    }

    /// Listens for scrapers.
    ///
    /// - Parameters:
    ///   - place: The socket.
    ///   - group: The event loop group of the server's loop.
    /// - Returns: The listening channel.
    /// - Throws: The socket cannot be used.
    public func listenForScrapers(
        at place: ListeningPlace, on group: any EventLoopGroup
    ) async throws -> any Channel {
        let core = core
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptPause(farewell: { _ in [] }, log: core.value.log))
                }
            }
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard core.value.takeScraper(upTo: Self.scraperLimit) else {
                        throw TooManyScrapers()
                    }
                    channel.closeFuture.whenComplete { _ in core.value.leaveScraper() }
                    let operations = channel.pipeline.syncOperations
                    try operations.configureHTTPServerPipeline(
                        withPipeliningAssistance: true, withErrorHandling: false,
                        withEncoderConfiguration: .init(),
                        withDecoderLimitConfiguration: Self.headerLimits)
                    try RequestGuard.install(on: channel, Self.rules) { refusal in
                        ("text/plain", Array("\(refusal.sentence)\n".utf8))
                    }
                    try operations.addHandler(ScrapeHandler(core.value, patience: Self.patience))
                }
            }
        return try await place.bind(bootstrap, backlog: 16)
    }
}

/// The maximum number of scrapers is connected.
private struct TooManyScrapers: Error {}

/// Answers scrapes on one connection.
private final class ScrapeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let openMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8"
    private static let plain = "text/plain"

    private let core: ServerCore
    private let patience: TimeAmount
    private var request: HTTPRequestHead?
    private var isAnswered = false
    private var timer: Scheduled<Void>?

    init(_ core: ServerCore, patience: TimeAmount) {
        self.core = core
        self.patience = patience
    }

    func channelActive(context: ChannelHandlerContext) {
        watch(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): request = head
        case .body: break
        case .end:
            guard let head = request, !isAnswered else { return }
            request = nil
            isAnswered = true
            answer(head, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// The answer to a path; nil for an unknown path.
    private func page(_ path: Substring) -> (
        status: HTTPResponseStatus, type: String, text: String
    )? {
        switch path {
        case "/metrics": return (.ok, Self.openMetrics, core.scrapedText)
        case "/healthz": return (.ok, Self.plain, "ok\n")
        case "/readyz":
            let state = core.isLeaving ? .draining : core.context.state
            if state == .running, core.context.forwarder != nil, core.context.lacksOwner {
                return (.serviceUnavailable, Self.plain, "noOwner\n")
            }
            let status = state == .running ? HTTPResponseStatus.ok : .serviceUnavailable
            return (status, Self.plain, "\(state.rawValue)\n")
        default: return nil
        }
    }

    private func answer(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let isAllowed = request.method == .GET || request.method == .HEAD
        let refusal: HTTPResponseStatus = isAllowed ? .notFound : .methodNotAllowed
        let (status, type, text) =
            (isAllowed ? page(request.uri.prefix { $0 != "?" }) : nil)
            ?? (refusal, Self.plain, "\(refusal.reasonPhrase)\n")
        let body = context.channel.allocator.buffer(string: text)
        var head = HTTPResponseHead(version: request.version, status: status)
        head.headers.add(name: "content-type", value: type)
        head.headers.add(name: "content-length", value: "\(body.readableBytes)")
        if status == .methodNotAllowed { head.headers.add(name: "allow", value: "GET, HEAD") }
        head.headers.add(name: "connection", value: "close")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        // The timer starts before the last write, which may close the channel: a later timer would keep
        // the channel in memory.
        watch(context)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    /// Closes a connection that sends no request in time, or does not read the answer.
    private func watch(_ context: ChannelHandlerContext) {
        timer?.cancel()
        let channel = context.channel
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: patience) {
            channel.close(promise: nil)
        }
    }
}
