import Testing

/// Certificates for this machine, made by openssl.
enum Certificate {
    /// Makes a certificate that has signed itself, and its key, in PEM.
    static func make(
        _ name: String, in place: Workplace
    ) throws -> (certificate: String, key: String) {
        let (certificate, key) = (place("\(name).pem"), place("\(name)-key.pem"))
        let made = try Child.run(
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate,
            ], in: place)
        try #require(made.ending == .exit(0), "\(made.errors)")
        return (certificate, key)
    }
}
