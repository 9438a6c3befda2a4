import NIOCore
import PaymentCore

/// How one connection outlives the process, as the connection sees it.
protocol Handover: AnyObject {
    /// Whether the connection may be enabled at any time.
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
    ///   - enable: Called later, if the connection lives long enough to be worth it.
    func begin(
        _ channel: any Channel, on loop: NIOIsolatedEventLoop, _ enable: @escaping () -> Void)

    /// Whether the connection is kept while it is served; see ``ConnectionStore/keepsAhead``.
    var keepsAhead: Bool { get }

    /// Has the connection outlive the process from now on.
    ///
    /// - Returns: Whether it does.
    func enable(descriptor: Int32) -> Bool

    /// Bytes are about to move, in or out, or a request is about to run.
    func willChange()

    /// Nothing is under way any more.
    ///
    /// - Parameters:
    ///   - image: The state of the connection.
    ///   - isFinal: Whether the next process reads it in any case.
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
