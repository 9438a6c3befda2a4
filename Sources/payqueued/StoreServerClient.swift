import NIOCore
import PaymentCore
import PaymentStorage
import StoreMessages

#if StoreClient
    import StoreClient
#endif

/// The client of store servers. A build without the compilation condition `StoreClient` omits it,
/// because it doubles the compile time.
enum StoreServerClient {
    /// Whether this build contains the client.
    static var isThere: Bool {
        #if StoreClient
            true
        #else
            false
        #endif
    }

    /// Checks the file of trusted certificates, if one is configured.
    ///
    /// - Throws: The file cannot be used.
    static func check(certificates path: String?) throws {
        #if StoreClient
            if let bytes = try read(certificates: path) {
                try HTTPStoreOptions.checkTrustRoots(bytes)
            }
        #endif
    }

    /// Creates a client; sends no request.
    ///
    /// - Throws: The file of trusted certificates cannot be used.
    static func make(
        _ address: StoreAddress, configuration: DaemonConfiguration, credentials: StoreCredentials,
        memory: any StoreMemory, _ member: ClusterMember?,
        group: any EventLoopGroup
    ) throws -> any RemoteStore {
        #if StoreClient
            var options = HTTPStoreOptions(address: address)
            options.trustRoots = try read(
                certificates: configuration.storeCertificates.value)
            options.ordersInFlight = configuration.limits.ordersInFlight
            options.credential = { credentials[$0] }
            options.orderRight = { member?.orderRight ?? .sole }
            return try HTTPStore(options: options, memory: memory, group: group)
        #else
            preconditionFailure("the configuration names a store server, and there is no client")
        #endif
    }

    /// The bytes of the file of trusted certificates; nil if none is configured.
    private static func read(
        certificates path: String?
    ) throws(ConfigurationProblem) -> [UInt8]? {
        guard let path else { return nil }
        do throws(GivenFile.Failure) {
            return try GivenFile.read(path, .unchangeable)
        } catch {
            throw ConfigurationProblem("'\(path)': \(error)")
        }
    }
}
