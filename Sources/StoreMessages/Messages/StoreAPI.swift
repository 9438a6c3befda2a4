/// The constants that both ends of the Store API share: paths, media types and limits.
package enum StoreAPI {
    /// The prefix of all paths.
    package static let prefix = "/store-api/v1"
    /// The longest request body that the server reads, in bytes.
    package static let requestLimitBytes = 64 * 1024
    /// The longest response body that the client reads, in bytes.
    package static let answerLimitBytes = 16 << 20
    /// The longest line of the feed, in bytes.
    package static let feedLineLimitBytes = 4096
    /// The interval between heartbeats of an idle feed, in seconds.
    package static let feedHeartbeatSeconds: Int64 = 15
    /// The silence of the feed after which the client closes it, in seconds.
    package static let feedSilenceSeconds: Int64 = 45
    /// The longest account name, credential or application account token, in code points. JSON
    /// Schema expresses lengths in code points.
    package static let textLimitCodePoints = 1024
    /// The longest product identifier, in code points.
    package static let productLimitCodePoints = 256

    /// The header of requests about orders with the queue, if several nodes share it.
    package static let queueHeader = "payqueue-queue"
    /// The header of such requests with the term of the node that owns the queue.
    package static let termHeader = "payqueue-term"

    /// The media type of all bodies but the feed.
    package static let json = "application/json"
    /// The media type of the feed.
    package static let eventStream = "text/event-stream"
}
