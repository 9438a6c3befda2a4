import NIOCore
import PaymentCore
import StoreMessages

#if StoreClient
    import StoreClient
#endif

/// The client of store servers. It is left out of a build without the compilation condition
/// `StoreClient`, since it takes as long to compile as everything else.
enum StoreServerClient {
    /// Whether this build has it.
    static var isThere: Bool {
        #if StoreClient
            true
        #else
            false
        #endif
    }

    /// Reads the file of trusted certificates, if one is configured.
    ///
    /// - Throws: The file cannot be used.
    static func check(certificates path: String?) throws {
        #if StoreClient
            try HTTPStoreOptions.checkTrustRoots(path)
        #endif
    }

    /// Makes a client; asks nothing yet.
    ///
    /// - Throws: The file of trusted certificates cannot be used.
    static func make(
        _ address: StoreAddress, configuration: DaemonConfiguration, credentials: StoreCredentials,
        memory: any StoreMemory, group: any EventLoopGroup
    ) throws -> any RemoteStore {
        #if StoreClient
            var options = HTTPStoreOptions(address: address)
            options.trustRoots = configuration.storeCertificates.value
            options.ordersInFlight = configuration.limits.ordersInFlight
            options.credential = { credentials[$0] }
            return try HTTPStore(options: options, memory: memory, group: group)
        #else
            preconditionFailure("the configuration names a store server, and there is no client")
        #endif
    }
}
