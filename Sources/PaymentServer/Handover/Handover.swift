import NIOCore
import PaymentCore

/// The handover of one connection to the next process, called by the connection.
protocol Handover: AnyObject {
    /// Whether the handover can be enabled.
    var isPossible: Bool { get }
    /// Whether the connection continues in the next process, however this one ends.
    var isEnabled: Bool { get }
    /// Whether something changed since the last image.
    var wantsImage: Bool { get }

    /// The channel of the connection is ready.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - loop: Its loop.
    ///   - enable: Called later, if connections are kept while they are served and this one is
    ///     still open.
    func begin(
        _ channel: any Channel, on loop: NIOIsolatedEventLoop, _ enable: @escaping () -> Void)

    /// Whether the connection is kept while it is served; see ``ConnectionStore/keepsAhead``.
    var keepsAhead: Bool { get }

    /// Makes the connection outlive the process from now on.
    ///
    /// - Returns: Whether it will outlive the process.
    func enable(descriptor: Int32) -> Bool

    /// Called before bytes are read or sent, and before a request runs.
    func willChange()

    /// Called when nothing is in progress any more. Stores the image.
    ///
    /// - Parameters:
    ///   - image: The state of the connection.
    ///   - isFinal: Whether this is the last image before the next process reads it.
    /// - Returns: Whether the image was stored.
    @discardableResult
    func didSettle(_ image: ConnectionImage, isFinal: Bool) -> Bool

    /// The connection has ended, and the next process must not continue it.
    func drop()
}

/// The handover of a server that stores no connections.
final class NoHandover: Handover, Sendable {
    static let shared = NoHandover()

    var isPossible: Bool { false }
    var isEnabled: Bool { false }
    var wantsImage: Bool { false }

    func begin(
        _ channel: any Channel, on loop: NIOIsolatedEventLoop, _ enable: @escaping () -> Void
    ) {}

    var keepsAhead: Bool { false }
    func enable(descriptor: Int32) -> Bool { false }
    func willChange() {}
    func didSettle(_ image: ConnectionImage, isFinal: Bool) -> Bool { false }
    func drop() {}
}
