import JSONRPC
public import PaymentAPI
public import PaymentCore
import StrictJSON

/// A client of another node of a cluster, with the roles that the other node has assigned.
public struct RemoteCaller: Sendable, Hashable {
    /// The credentials of the client, from the kernel of its node. Its other groups are not transferred,
    /// because the roles were derived from them there.
    public var peer: PeerCredentials
    /// The roles that its node gives it.
    public var roles: Set<Role>
    /// The name that it gave with `hello`.
    public var clientName: OpaqueText?

    /// Creates a caller.
    public init(peer: PeerCredentials, roles: Set<Role>, clientName: OpaqueText? = nil) {
        self.peer = peer
        self.roles = roles
        self.clientName = clientName
    }

    /// Reads the line that begins a link between nodes; nil if it is none.
    public init?(line: [UInt8]) {
        guard let json = try? JSONValue(parsing: line),
            let pid = json["pid"]?.intValue.flatMap({ Int32(exactly: $0) }),
            let uid = json["uid"]?.intValue.flatMap({ UInt32(exactly: $0) }),
            let gid = json["gid"]?.intValue.flatMap({ UInt32(exactly: $0) }),
            let roles = json["roles"]?.arrayValue
        else { return nil }
        let names = roles.compactMap { $0.stringValue.flatMap { Role(rawValue: $0) } }
        guard names.count == roles.count else { return nil }
        self.init(
            peer: PeerCredentials(pid: pid, uid: uid, gid: gid), roles: Set(names),
            clientName: json["client"]?.stringValue.map { OpaqueText($0) })
    }

    /// The line that begins a link between nodes.
    public var line: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("client", clientName?.string)
        writer.member("gid", Int(peer.gid))
        writer.member("pid", Int(peer.pid))
        writer.name("roles")
        writer.value(.array(roles.map(\.rawValue).sorted().map { .string($0) }))
        writer.member("uid", Int(peer.uid))
        writer.endObject()
        writer.endLine()
        return writer.bytes
    }
}
