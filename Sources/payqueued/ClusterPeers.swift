#if StoreClient
    import EtcdJournal
    import Glibc
    import Logging
    import NIOCore
    import PaymentServer
    import PaymentStorage
    import PeerLink

    /// The connections between the nodes of a cluster: other nodes reach this one, and this node
    /// reaches the owner of the queue.
    struct ClusterPeers: OwnerDialer {
        private let dialer: PeerDialer
        private let address: PeerAddress
        private let listener: PeerListener
        private let group: any EventLoopGroup

        /// Reads the certificates.
        ///
        /// - Returns: The connections; nil if none are configured.
        /// - Throws: The address or a certificate cannot be used.
        init?(
            _ configuration: DaemonConfiguration.Cluster, log: Logger, group: any EventLoopGroup
        ) throws(ConfigurationProblem) {
            guard let (address, security) = try Self.read(configuration) else { return nil }
            self.address = address
            self.group = group
            dialer = PeerDialer(security, on: group)
            listener = PeerListener(security, log: log)
        }

        /// Reports the problems of the address and the certificates that a start would find.
        static func examine(
            _ configuration: DaemonConfiguration.Cluster
        ) throws(ConfigurationProblem) {
            _ = try read(configuration)
        }

        private static func read(
            _ configuration: DaemonConfiguration.Cluster
        ) throws(ConfigurationProblem) -> (PeerAddress, PeerSecurity)? {
            guard let text = configuration.peer.value,
                let authority = configuration.peerCertificates.value,
                let credentials = configuration.peerCredentials.value
            else { return nil }
            guard let address = PeerAddress(text) else {
                throw ConfigurationProblem(
                    "cannot use cluster.peer '\(text)': expected HOST:PORT", place: "/cluster/peer")
            }
            let roots = try ClusterFiles.read(authority, .unchangeable)
            let identity = try ClusterFiles.readIdentity(credentials)
            do {
                return (
                    address,
                    try PeerSecurity(
                        authority: roots, certificate: identity.certificate, key: identity.key)
                )
            } catch {
                throw ConfigurationProblem("cannot use the certificates of this node: \(error)")
            }
        }

        /// Listens for the calls of other nodes.
        func listen(for server: PaymentServer, _ group: any EventLoopGroup) async throws
            -> any Channel
        {
            dialer.onChange { server.ownerDidChange() }
            do {
                return try await listener.listen(at: address, on: self.group) { line, socket in
                    guard let caller = RemoteCaller(line: line) else {
                        _ = Glibc.close(socket)
                        throw UnknownClient()
                    }
                    try await server.serve(descriptor: socket, as: caller)
                }
            } catch {
                throw StartFailure.system("cannot listen for other nodes at '\(address)': \(error)")
            }
        }

        /// Whether the owner is known.
        var isReachable: Bool { dialer.isReachable }

        /// Opens a link for one client.
        func dial(
            _ caller: RemoteCaller, received: @escaping @Sendable (OwnerNews) -> Void
        ) -> (any OwnerLink)? {
            let connection = dialer.dial(caller.line) { news in
                switch news {
                case .line(let bytes): received(.line(bytes))
                case .ended(let wasOpen): received(.ended(wasOpen: wasOpen))
                }
            }
            return connection.map { Link(connection: $0) }
        }

        /// Sets the owner that calls are forwarded to; nil if there is none, or it is this node.
        func use(_ owner: ClusterOwner?) {
            let address = owner?.node.peer.flatMap { PeerAddress($0) }
            dialer.use(
                owner.flatMap { owner in
                    address.map { PeerDialer.Owner(address: $0, term: owner.term) }
                })
        }
    }

    /// A link to the owner, as the server uses it.
    private struct Link: OwnerLink {
        let connection: PeerConnection

        func send(_ lines: [UInt8]) { connection.send(lines) }

        func close() { connection.close() }
    }

    /// The first line of a link names no client.
    private struct UnknownClient: Error, CustomStringConvertible {
        var description: String { "the first line names no client" }
    }
#endif
