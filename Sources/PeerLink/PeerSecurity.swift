import Glibc
import NIOCore
import NIOSSL

/// The certificates by which the nodes of a cluster authenticate each other. One authority issues all of them,
/// and issues certificates to nodes only.
public struct PeerSecurity: Sendable {
    let client: NIOSSLContext
    let server: NIOSSLContext

    /// Reads certificates.
    ///
    /// - Parameters:
    ///   - authority: The certificates of the authority, in PEM.
    ///   - certificate: The certificate of this node and those between it and the authority, in PEM. It names the
    ///     host that other nodes dial.
    ///   - key: The private key, in PEM.
    /// - Throws: One of them cannot be used.
    public init(authority: [UInt8], certificate: [UInt8], key: [UInt8]) throws {
        let roots = NIOSSLTrustRoots.certificates(try NIOSSLCertificate.fromPEMBytes(authority))
        let chain = try NIOSSLCertificate.fromPEMBytes(certificate)
            .map { NIOSSLCertificateSource.certificate($0) }
        let key = NIOSSLPrivateKeySource.privateKey(
            try NIOSSLPrivateKey(bytes: key, format: .pem))
        var dialling = TLSConfiguration.makeClientConfiguration()
        dialling.minimumTLSVersion = .tlsv13
        dialling.trustRoots = roots
        dialling.certificateChain = chain
        dialling.privateKey = key
        client = try NIOSSLContext(configuration: dialling)
        var listening = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: key)
        listening.minimumTLSVersion = .tlsv13
        listening.trustRoots = roots
        // A certificate of the authority makes its holder a node, at whichever address.
        listening.certificateVerification = .noHostnameVerification
        server = try NIOSSLContext(configuration: listening)
    }
}

/// The address of a node: a host and a port.
public struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address, without brackets.
    public let host: String
    /// The port.
    public let port: Int

    /// Reads `HOST:PORT`, with brackets around an IPv6 address; nil if it is something else.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return nil }
        var host = text[..<colon]
        let hasBrackets = host.hasPrefix("[") && host.hasSuffix("]")
        guard !host.isEmpty, hasBrackets || !host.contains(":") else { return nil }
        if hasBrackets { host = host.dropFirst().dropLast() }
        self.host = String(host)
        self.port = Int(port)
    }

    /// The host and the port, as they are written.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The name in the certificate of the node; nil for an address, which is compared as such.
    var serverName: String? {
        (try? SocketAddress(ipAddress: host, port: port)) == nil ? host : nil
    }
}

/// The options of the sockets between nodes. With them a node notices within seconds that a peer has vanished.
enum PeerSockets {
    private static func option(_ name: Int32) -> ChannelOptions.Types.SocketOption {
        ChannelOptions.Types.SocketOption(level: .tcp, name: NIOBSDSocket.Option(rawValue: name))
    }

    /// Each option with its value.
    static let options: [(option: ChannelOptions.Types.SocketOption, value: SocketOptionValue)] = [
        (ChannelOptions.socketOption(.so_keepalive), 1),
        (ChannelOptions.socketOption(.tcp_nodelay), 1),
        (option(TCP_KEEPIDLE), 5), (option(TCP_KEEPINTVL), 2), (option(TCP_KEEPCNT), 3),
        // Milliseconds that bytes may wait for the peer.
        (option(TCP_USER_TIMEOUT), 11_000),
    ]
}
