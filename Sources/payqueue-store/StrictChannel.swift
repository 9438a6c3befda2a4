import HummingbirdCore
import Listening
import Logging
import NIOCore
import StoreMessages

/// An HTTP connection whose requests conform to ``RequestRules``, with refusals in the format of the
/// Store API.
struct StrictChannel: ServerChildChannel {
    let base: HTTP1Channel
    let rules: RequestRules
    let counters: Counters

    /// A connection that no task serves yet. It reads nothing.
    struct Waiting: ServerChildChannelValue {
        let channel: any Channel
        fileprivate let closer: NIOLoopBound<QuiesceCloser>
    }

    /// Accepts a connection. Its handlers are installed when a task serves it, because connections during
    /// a stop are never served, and what the library installs must not be dropped unused.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Waiting> {
        channel.eventLoop.makeCompletedFuture {
            let closer = QuiesceCloser()
            try channel.syncOptions?.setOption(.autoRead, value: false)
            try channel.pipeline.syncOperations.addHandler(closer)
            return Waiting(
                channel: channel, closer: NIOLoopBound(closer, eventLoop: channel.eventLoop))
        }
    }

    func handle(value: Waiting, logger: Logger) async {
        let channel = value.channel
        let (base, rules, counters) = (base, rules, counters)
        do {
            let served = try await channel.eventLoop.flatSubmit {
                channel.pipeline.syncOperations.removeHandler(value.closer.value).flatMap {
                    base.setup(channel: channel, logger: logger)
                }
            }.get()
            try await channel.eventLoop.submit {
                try RequestGuard.install(on: channel, rules) { refusal in
                    counters.count("none", status: refusal.status, took: .zero)
                    return (StoreAPI.json, FailureMessage(refusal).bytes)
                }
                try channel.syncOptions?.setOption(.autoRead, value: true)
            }.get()
            await base.handle(value: served, logger: logger)
        } catch {
            channel.close(promise: nil)
        }
    }

    /// The response to a connection that cannot be served.
    static func farewell(_ reason: AcceptPause.Reason) -> [UInt8] {
        let sentence =
            switch reason {
            case .limit: "the store has too many connections"
            case .shortage(let text): "the store cannot accept connections now: \(text)"
            }
        let body = FailureMessage(.serviceUnavailable, sentence).bytes
        let head = """
            HTTP/1.1 503 Service Unavailable\r
            content-type: \(StoreAPI.json)\r
            content-length: \(body.count)\r
            retry-after: 5\r
            connection: close\r
            \r

            """
        return Array(head.utf8) + body
    }
}

extension FailureMessage {
    /// The message for a request that is refused before it reaches a route.
    fileprivate init(_ refusal: RequestRefusal) {
        let isTooLarge = refusal.status == 413 || refusal.status == 431
        self.init(isTooLarge ? .tooLarge : .badRequest, refusal.sentence)
    }
}

/// Closes a connection that waits when the server stops.
private final class QuiesceCloser: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
