import Hummingbird
import Listening
import NIOCore

/// The context of a request.
struct StoreContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Whether the connection comes from a process of this machine. Request headers are not used,
    /// because clients can set them freely.
    let isOfThisMachine: Bool
    /// The source of the client's wrong guesses; nil for clients of a Unix socket.
    let guesser: GuessDelay.Source?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        isOfThisMachine = source.channel.isOfThisMachine
        guesser = GuessDelay.source(of: source.channel.remoteAddress)
    }
}
