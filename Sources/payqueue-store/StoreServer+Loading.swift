import NIOSSL
import PaymentSandbox
import PaymentStorage
import SandboxStorage

/// The files that are read before anything is opened, so that `--check-config` finds the same
/// problems as a start.
extension StoreServer {
    /// The catalogue, including the demo account.
    static func loadCatalogue(
        _ configuration: StoreConfiguration
    ) throws(StartFailure) -> StoreCatalogue {
        var catalogue: StoreCatalogue
        do throws(CatalogueFileFailure) {
            catalogue = try .load(
                path: configuration.catalog, hasDemoAccount: configuration.demo)
        } catch {
            throw .configuration(error.description)
        }
        if let path = configuration.catalog, catalogue.hasCredentials {
            try GivenSecret(
                what: "catalogue with credentials", path: path,
                credentials: configuration.credentialsDirectory
            ).check()
        }
        if let bundleID = configuration.bundleID { catalogue.bundleID = bundleID }
        return catalogue
    }

    /// The TLS certificate and key, if TLS is configured.
    static func loadTLS(
        _ configuration: StoreConfiguration
    ) throws(StartFailure) -> TLSConfiguration? {
        guard let files = configuration.tls else { return nil }
        try GivenSecret(
            what: "key", path: files.key, credentials: configuration.credentialsDirectory
        ).check(readers: .group)
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(files.certificate)
            let key = try NIOSSLPrivateKey(file: files.key, format: .pem)
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
            tls.minimumTLSVersion = .tlsv12
            tls.applicationProtocols = ["http/1.1"]
            // This fails if the key does not belong to the certificate.
            _ = try NIOSSLContext(configuration: tls)
            return tls
        } catch {
            throw .configuration(
                "cannot use certificate '\(files.certificate)' with key '\(files.key)': \(error)")
        }
    }
}
