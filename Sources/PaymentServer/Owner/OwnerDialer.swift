/// Opens links to the node that owns the queue.
public protocol OwnerDialer: Sendable {
    /// Whether the owner is known and can be dialled.
    var isReachable: Bool { get }

    /// Opens a link for one client. Links end when another node becomes the owner.
    ///
    /// - Parameters:
    ///   - caller: The client.
    ///   - received: Receives what comes from the owner, in order, on any thread; the end comes last, and once.
    /// - Returns: The link; nil if no owner is known.
    func dial(
        _ caller: RemoteCaller, received: @escaping @Sendable (OwnerNews) -> Void
    ) -> (any OwnerLink)?
}

/// A link to the owner for the calls of one client.
public protocol OwnerLink: Sendable {
    /// Sends whole lines. Lines sent before the link is open are kept until it is.
    func send(_ lines: [UInt8])

    /// Closes the link. After that only its end is received.
    func close()
}

/// A message of the owner, or the end of its link.
public enum OwnerNews: Sendable {
    /// A line, without its end.
    case line([UInt8])
    /// The link has ended. If it was never open, nothing was sent.
    case ended(wasOpen: Bool)
}
