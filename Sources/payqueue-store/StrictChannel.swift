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

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        let (rules, counters) = (rules, counters)
        return base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            try RequestGuard.install(on: channel, rules) { refusal in
                counters.count("none", status: refusal.status, took: .zero)
                return (StoreAPI.json, FailureMessage(refusal).bytes)
            }
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
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
