/// The words that both ends of the Store API share: paths, media types and limits.
package enum StoreAPI {
    /// The prefix of every path.
    package static let prefix = "/store-api/v1"
    /// The longest body of a request that the server reads, in bytes.
    package static let requestLimitBytes = 64 * 1024
    /// The longest body of an answer that the client reads, in bytes.
    package static let answerLimitBytes = 16 << 20
    /// The longest line of the feed, in bytes.
    package static let feedLineLimitBytes = 4096
    /// How often the feed says something when nothing happens, in seconds.
    package static let feedHeartbeatSeconds: Int64 = 15
    /// The longest silence of the feed that the client bears, in seconds.
    package static let feedSilenceSeconds: Int64 = 45
    /// The longest name of an account, credential or application account, in code points: that is
    /// what the description of the API can say.
    package static let textLimitCodePoints = 1024
    /// The longest name of a product, in code points.
    package static let productLimitCodePoints = 256

    /// The media type of everything but the feed.
    package static let json = "application/json"
    /// The media type of the feed.
    package static let eventStream = "text/event-stream"
}
