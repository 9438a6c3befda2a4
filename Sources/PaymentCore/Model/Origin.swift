/// The origin of a record: the peer of the connection over which the call arrived.
///
/// All fields are behind one reference, because each record and each snapshot of a transaction
/// holds a copy.
public struct Origin: Sendable, Hashable {
    private let parts: Parts

    /// The user id of the peer, as the kernel reported it.
    public var uid: UInt32 { parts.uid }
    /// The client name from `hello`; nil if the client gave none.
    public var client: OpaqueText? { parts.client }
    /// The number of the connection; it stays the same when a connection outlives the process.
    public var connection: UInt64 { parts.connection }
    /// The number of the request on its connection, from 1.
    public var request: UInt64 { parts.request }
    /// The trace context of the request; nil if it carried none.
    public var trace: OpaqueText? { parts.trace }

    /// Creates an origin.
    public init(
        uid: UInt32, client: OpaqueText? = nil, connection: UInt64, request: UInt64,
        trace: OpaqueText? = nil
    ) {
        parts = Parts(
            uid: uid, client: client, connection: connection, request: request, trace: trace)
    }

    /// The same origin without its trace context.
    public var withoutTrace: Origin {
        trace == nil
            ? self : Origin(uid: uid, client: client, connection: connection, request: request)
    }

    /// Two origins are equal if all their fields are equal.
    public static func == (left: Origin, right: Origin) -> Bool {
        left.parts === right.parts
            || left.uid == right.uid && left.client == right.client
                && left.connection == right.connection && left.request == right.request
                && left.trace == right.trace
    }

    /// Hashes connection and request, which identify the request.
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
