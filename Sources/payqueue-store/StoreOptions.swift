import ArgumentParser
import Foundation
import Logging
import Observability
import PaymentCore
import PaymentHistory
import PaymentStorage

/// The flags of the server. Each is also an environment variable (PAYQUEUE_STORE_…); a flag beats
/// the environment.
struct StoreOptions: ParsableArguments {
    @Option(help: .init("Where to listen.", valueName: "ADDR:PORT|unix:PATH"))
    var listen: String?

    @Option(help: .init("Journal, sessions and keys.", valueName: "DIR"))
    var stateDirectory: String?

    @Option(help: .init("Products and accounts: JSON or .storekit.", valueName: "FILE"))
    var catalog: String?

    @Option(help: .init("The application whose purchases these are.", valueName: "ID"))
    var bundleID: String?

    @Option(help: .init("What histories are signed with.", valueName: "RS256|ES256"))
    var historyAlgorithm: String?

    @Option(help: .init("Certificate chain, PEM.", valueName: "FILE"))
    var tlsCertificate: String?

    @Option(help: .init("Private key of the certificate, PEM.", valueName: "FILE"))
    var tlsKey: String?

    @Option(
        help: .init("Password of the page at /; without, this machine only.", valueName: "FILE"))
    var operatorPassword: String?

    @Flag(help: "Example catalogue, account 'demo', state in a temporary directory.")
    var demo = false

    @Option(
        help: .init("trace, debug, info, notice, warning, error, critical.", valueName: "LEVEL"))
    var logLevel: String?

    @Option(help: .init("text, json or journald.", valueName: "FORMAT"))
    var logFormat: String?

    @Flag(help: "Validate the configuration and exit.")
    var checkConfig = false
}

/// What the server is told to be, checked.
struct StoreConfiguration: Sendable {
    var listen: ListenAddress
    var stateDirectory: String?
    var catalog: String?
    /// Nil for that of the catalogue.
    var bundleID: String?
    var historyAlgorithm: SignatureAlgorithm
    var tls: (certificate: String, key: String)?
    var operatorPassword: OpaqueText?
    var demo: Bool
    var logLevel: Logger.Level
    var logFormat: LogFormat

    /// Resolves flags and environment.
    ///
    /// - Throws: The first thing that cannot be used.
    init(_ options: StoreOptions, environment: [String: String]) throws(StartFailure) {
        func text(_ flag: String?, _ name: String) -> String? {
            flag ?? environment["PAYQUEUE_STORE_\(name)"]
        }
        let address = text(options.listen, "LISTEN")
        guard let listen = address.map({ ListenAddress($0) }) ?? .standard else {
            throw .configuration(
                "cannot listen on '\(address ?? "")': expected ADDR:PORT or unix:/PATH")
        }
        self.listen = listen
        catalog = text(options.catalog, "CATALOG")
        bundleID = text(options.bundleID, "BUNDLE_ID")
        if let bundleID {
            guard (1...255).contains(bundleID.utf8.count),
                bundleID.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else {
                throw .configuration("bundle id '\(bundleID)' is not 1 to 255 visible letters")
            }
        }
        historyAlgorithm =
            try Self.word(text(options.historyAlgorithm, "HISTORY_ALGORITHM"), "history algorithm")
            ?? .rs256
        operatorPassword = try Self.password(
            text(options.operatorPassword, "OPERATOR_PASSWORD"), environment)
        demo = options.demo || environment["PAYQUEUE_STORE_DEMO"] == "true"
        stateDirectory =
            text(options.stateDirectory, "STATE_DIRECTORY")
            ?? (demo ? nil : Self.defaultStateDirectory(environment))
        guard demo || stateDirectory != nil else {
            throw .configuration(
                "no place for the state: give --state-directory DIR (neither $STATE_DIRECTORY, "
                    + "$XDG_STATE_HOME nor $HOME is set)")
        }
        switch (text(options.tlsCertificate, "TLS_CERTIFICATE"), text(options.tlsKey, "TLS_KEY")) {
        case (nil, nil): tls = nil
        case (let certificate?, let key?): tls = (certificate, key)
        default:
            throw .configuration("--tls-certificate and --tls-key belong together")
        }
        logLevel = try Self.word(text(options.logLevel, "LOG_LEVEL"), "log level") ?? .info
        logFormat =
            try Self.word(text(options.logFormat, "LOG_FORMAT"), "log format")
            ?? LogFormat.suggested
    }

    /// The password in a file that only its owner reads, or in the credential `operator-password` of
    /// the service manager; never on the command line or in the environment.
    private static func password(
        _ path: String?, _ environment: [String: String]
    ) throws(StartFailure) -> OpaqueText? {
        var path = path
        if path == nil, let directory = environment["CREDENTIALS_DIRECTORY"] {
            let credential = "\(directory)/operator-password"
            if FileManager.default.fileExists(atPath: credential) { path = credential }
        } else if let path {
            let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            guard let mode = (mode as? NSNumber)?.intValue, mode & 0o077 == 0 else {
                throw .configuration(
                    "cannot use password '\(path)': it is not there, or others may read it")
            }
        }
        guard let path else { return nil }
        guard let data = FileManager.default.contents(atPath: path), data.count <= 1024,
            let text = String(validating: data, as: UTF8.self)
        else { throw .configuration("cannot read password '\(path)'") }
        let password = text.trimmingCharacters(in: .newlines)
        guard password.utf8.count >= 8 else {
            throw .configuration("the password in '\(path)' is shorter than 8 bytes")
        }
        return OpaqueText(password)
    }

    private static func word<Word: RawRepresentable & CaseIterable>(
        _ text: String?, _ what: String
    ) throws(StartFailure) -> Word? where Word.RawValue == String {
        guard let text else { return nil }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw .configuration("\(what) is '\(text)': expected \(words)")
        }
        return word
    }

    static func defaultStateDirectory(_ environment: [String: String]) -> String? {
        if let path = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
            return String(path)
        }
        if let path = environment["XDG_STATE_HOME"], !path.isEmpty {
            return "\(path)/payqueue-store"
        }
        guard let home = environment["HOME"], !home.isEmpty else { return nil }
        return "\(home)/.local/state/payqueue-store"
    }
}
