import Hummingbird
import NIOCore

/// What goes along with a request.
struct StoreContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}
