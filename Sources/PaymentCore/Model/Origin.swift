/// The origin of a record: the peer of the connection that a call came over.
///
/// The parts lie behind one reference: each record and each snapshot of a transaction has a copy.
public struct Origin: Sendable, Hashable {
    private let parts: Parts

    /// The user id that the kernel reported.
    public var uid: UInt32 { parts.uid }
    /// The name that the client gave with `hello`, if any.
    public var client: OpaqueText? { parts.client }
    /// Names the connection; kept when a connection outlives the process.
    public var connection: UInt64 { parts.connection }
    /// Counts the requests of the connection from 1.
    public var request: UInt64 { parts.request }
    /// The trace context of the request, if it carried one.
    public var trace: OpaqueText? { parts.trace }

    /// Makes an origin.
    public init(
        uid: UInt32, client: OpaqueText? = nil, connection: UInt64, request: UInt64,
        trace: OpaqueText? = nil
    ) {
        parts = Parts(
            uid: uid, client: client, connection: connection, request: request, trace: trace)
    }

    /// Two origins are equal if all their parts are.
    public static func == (left: Origin, right: Origin) -> Bool {
        left.parts === right.parts
            || left.uid == right.uid && left.client == right.client
                && left.connection == right.connection && left.request == right.request
                && left.trace == right.trace
    }

    /// Hashes what names the request.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(connection)
        hasher.combine(request)
    }

    private final class Parts: Sendable {
        let uid: UInt32
        let client: OpaqueText?
        let connection: UInt64
        let request: UInt64
        let trace: OpaqueText?

        init(
            uid: UInt32, client: OpaqueText?, connection: UInt64, request: UInt64,
            trace: OpaqueText?
        ) {
            self.uid = uid
            self.client = client
            self.connection = connection
            self.request = request
            self.trace = trace
        }
    }
}
