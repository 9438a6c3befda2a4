public import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves the measurements over HTTP, for a scraper that speaks nothing else.
///
/// `GET /metrics` is the only request. Every client that can open the socket may read: it contains only
/// numbers and constant words.
extension PaymentServer {
    /// The time limit of one scrape, connecting and reading included.
    private static let patience = TimeAmount.seconds(10)
    /// How many scrapers there may be at once: they use the same loop as the clients.
    private static let scraperLimit = 16

    /// Listens for scrapers.
    ///
    /// - Parameters:
    ///   - place: The socket.
    ///   - group: The event loop group that the server's loop is of.
    /// - Returns: The listening channel.
    /// - Throws: The socket cannot be used.
    public func listenForScrapers(
        at place: ListeningPlace, on group: any EventLoopGroup
    ) async throws -> any Channel {
        let core = core
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 16)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard core.value.takeScraper(upTo: Self.scraperLimit) else {
                        throw TooManyScrapers()
                    }
                    channel.closeFuture.whenComplete { _ in core.value.leaveScraper() }
                    let operations = channel.pipeline.syncOperations
                    try operations.configureHTTPServerPipeline(
                        withPipeliningAssistance: true, withErrorHandling: true)
                    try operations.addHandler(ScrapeHandler(core.value, patience: Self.patience))
                }
            }
        return try await place.bind(bootstrap)
    }
}

/// There are as many scrapers as there may be.
private struct TooManyScrapers: Error {}

/// Answers scrapes on one connection.
private final class ScrapeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let openMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    private let core: ServerCore
    private let patience: TimeAmount
    private var request: HTTPRequestHead?
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
            guard let head = request else { return }
            request = nil
            answer(head, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let path = request.uri.prefix { $0 != "?" }
        let isKnown = path == "/metrics"
        let isAllowed = request.method == .GET || request.method == .HEAD
        let status: HTTPResponseStatus =
            !isKnown ? .notFound : isAllowed ? .ok : .methodNotAllowed
        let text = status == .ok ? MetricsReport(core: core).text : "\(status.reasonPhrase)\n"
        let body = context.channel.allocator.buffer(string: text)
        var head = HTTPResponseHead(version: request.version, status: status)
        head.headers.add(
            name: "content-type", value: status == .ok ? Self.openMetrics : "text/plain")
        head.headers.add(name: "content-length", value: "\(body.readableBytes)")
        if status == .methodNotAllowed { head.headers.add(name: "allow", value: "GET, HEAD") }
        if !request.isKeepAlive { head.headers.add(name: "connection", value: "close") }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        let channel = context.channel
        let isLast = !request.isKeepAlive
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in if isLast { channel.close(promise: nil) } }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        watch(context)
    }

    /// Closes a connection that asks for nothing for too long, or does not read the answer.
    private func watch(_ context: ChannelHandlerContext) {
        timer?.cancel()
        let channel = context.channel
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: patience) {
            channel.close(promise: nil)
        }
    }
}
