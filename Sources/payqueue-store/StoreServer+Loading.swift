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
                path: configuration.catalog, hasDemoAccount: configuration.demo,
                secrecy: .secret, credentials: configuration.credentialsDirectory)
        } catch {
            throw .configuration(error.description)
        }
        if let bundleID = configuration.bundleID { catalogue.bundleID = bundleID }
        return catalogue
    }

    /// The TLS certificate and key, if TLS is configured.
    static func loadTLS(
        _ configuration: StoreConfiguration
    ) throws(StartFailure) -> TLSConfiguration? {
        guard let files = configuration.tls else { return nil }
        let secret = try GivenSecret(
            what: "key", path: files.key, credentials: configuration.credentialsDirectory
        ).bytes(.readableByGroup)
        do {
            let chain = try NIOSSLCertificate.fromPEMBytes(
                try GivenFile.read(files.certificate, .open))
            let key = try NIOSSLPrivateKey(bytes: secret, format: .pem)
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
            tls.minimumTLSVersion = .tlsv12
            // For TLS 1.2; all suites of TLS 1.3 have forward secrecy and authenticated encryption.
            tls.cipherSuiteValues = [
                .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
                .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
                .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
                .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
            ]
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
