#if StoreClient
    import EtcdJournal
    import Glibc
    import PaymentStorage
    import StrictJSON

    /// The files with which a node identifies itself and checks the identity of others.
    enum ClusterFiles {
        /// A certificate and its key, in PEM.
        typealias Identity = (certificate: [UInt8], key: [UInt8])

        /// The name of this machine. A node without a configured name uses it.
        static var hostName: String {
            var name = [CChar](repeating: 0, count: 256)
            guard gethostname(&name, name.count - 1) == 0 else { return "node" }
            return String(
                decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        /// Reads a file that other users cannot change, or cannot even read, as `protection`
        /// requires.
        static func read(
            _ path: String, _ protection: GivenFile.Protection
        ) throws(ConfigurationProblem) -> [UInt8] {
            do throws(GivenFile.Failure) {
                return try GivenFile.read(path, protection)
            } catch {
                throw ConfigurationProblem("'\(path)': \(error)")
            }
        }

        /// The options for etcd.
        static func options(
            _ configuration: DaemonConfiguration.Cluster, _ address: ClusterAddress
        ) throws(ConfigurationProblem) -> EtcdOptions {
            var options = EtcdOptions(members: address.members)
            if let path = configuration.certificates.value {
                options.trustRoots = try read(path, .unchangeable)
            }
            if let path = configuration.credentials.value {
                try readCredentials(path, into: &options)
            }
            return options
        }

        /// Reads the credentials of this node for etcd.
        private static func readCredentials(
            _ path: String, into options: inout EtcdOptions
        ) throws(ConfigurationProblem) {
            let bytes = try read(path, .secret)
            let value = try? JSONValue(parsing: bytes)
            if let user = value?["user"]?.stringValue,
                let password = value?["password"]?.stringValue
            {
                options.user = (user, password)
            }
            options.identity = value.flatMap(identity)
            guard options.user != nil || options.identity != nil else {
                throw ConfigurationProblem(
                    "cannot use credentials '\(path)': expected user and password, or certificate "
                        + "and key")
            }
        }

        /// Reads the certificate and the key of this node for other nodes.
        static func readIdentity(_ path: String) throws(ConfigurationProblem) -> Identity {
            let bytes = try read(path, .secret)
            guard let identity = (try? JSONValue(parsing: bytes)).flatMap(identity) else {
                throw ConfigurationProblem(
                    "cannot use credentials '\(path)': expected certificate and key")
            }
            return identity
        }

        private static func identity(_ value: JSONValue) -> Identity? {
            guard let certificate = value["certificate"]?.stringValue,
                let key = value["key"]?.stringValue
            else { return nil }
            return (Array(certificate.utf8), Array(key.utf8))
        }
    }
#endif

extension DaemonConfiguration {
    /// Reports the problems of the cluster's certificates and credentials that a start would find.
    func examineClusterFiles() throws(ConfigurationProblem) {
        #if StoreClient
            guard let clusterAddress else { return }
            _ = try ClusterFiles.options(cluster, clusterAddress)
            try ClusterPeers.examine(cluster)
        #endif
    }
}
