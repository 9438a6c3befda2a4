import ArgumentParser
import FoundationEssentials
import Glibc
import Logging
import Observability
import PaymentAPI
import PaymentCore
import PaymentHistory
import PaymentStorage

/// The flags of the server. Each setting is also an environment variable (PAYQUEUE_STORE_…); flags
/// override the environment.
struct StoreOptions: ParsableArguments {
    @Option(help: .init("Address to listen on.", valueName: "ADDR:PORT|unix:PATH"))
    var listen: String?

    @Option(help: .init("Mode of the Unix socket; 0600 without.", valueName: "MODE"))
    var socketMode: String?

    @Option(help: .init("Journal, sessions and keys.", valueName: "DIR"))
    var stateDirectory: String?

    @Option(help: .init("Products and accounts: JSON or .storekit.", valueName: "FILE"))
    var catalog: String?

    @Option(help: .init("Bundle id of the application.", valueName: "ID"))
    var bundleID: String?

    @Option(help: .init("Signature algorithm of histories.", valueName: "RS256|ES256"))
    var historyAlgorithm: String?

    @Option(help: .init("Certificate chain, PEM.", valueName: "FILE"))
    var tlsCertificate: String?

    @Option(help: .init("Private key of the certificate, PEM.", valueName: "FILE"))
    var tlsKey: String?

    @Option(
        help: .init("Password of the page at /; without it, only local.", valueName: "FILE"))
    var operatorPassword: String?

    @Option(help: .init("Allowed clock skew in seconds, 0–30 (default 2).", valueName: "S"))
    var merchantLeeway: String?

    @Flag(help: "Example catalogue, account 'demo', temporary state.")
    var demo = false

    @Option(
        help: .init("trace, debug, info, notice, warning, error, critical.", valueName: "LEVEL"))
    var logLevel: String?

    @Option(help: .init("text, json or journald.", valueName: "FORMAT"))
    var logFormat: String?

    @Flag(help: "Validate the configuration and exit.")
    var checkConfig = false
}

/// The validated options of the server.
struct StoreConfiguration: Sendable {
    var listen: ListenAddress
    var socketMode: mode_t
    var stateDirectory: String?
    var catalog: String?
    /// The application in signed histories; nil for that of the catalogue.
    var bundleID: String?
    var historyAlgorithm: SignatureAlgorithm
    var tls: (certificate: String, key: String)?
    var operatorPassword: OpaqueText?
    var merchantLeewaySeconds: Int64
    var demo: Bool
    var logLevel: Logger.Level
    var logFormat: LogFormat
    /// The directory of the service manager's credentials.
    var credentialsDirectory: String?

    /// Resolves flags and environment.
    ///
    /// - Throws: The first invalid option.
    init(_ options: StoreOptions, environment: [String: String]) throws(StartFailure) {
        try Self.checkNames(of: environment)
        func text(_ flag: String?, _ name: String) -> String? {
            flag ?? environment[Self.prefix + name]
        }
        let address = text(options.listen, "LISTEN")
        guard let listen = address.map({ ListenAddress($0) }) ?? .standard else {
            throw .configuration(
                "cannot listen on '\(address ?? "")': expected ADDR:PORT or unix:/PATH")
        }
        self.listen = listen
        socketMode = try Self.mode(text(options.socketMode, "SOCKET_MODE"))
        credentialsDirectory = environment["CREDENTIALS_DIRECTORY"]
        catalog =
            text(options.catalog, "CATALOG")
            ?? GivenSecret.credential("catalog", "catalogue", environment: environment)?.path
        bundleID = text(options.bundleID, "BUNDLE_ID")
        if let bundleID {
            guard (1...255).contains(bundleID.utf8.count),
                bundleID.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else {
                throw .configuration(
                    """
                    bundle id '\(bundleID)' is not 1 to 255 printable ASCII characters
                    """)
            }
        }
        historyAlgorithm =
            try Self.word(text(options.historyAlgorithm, "HISTORY_ALGORITHM"), "history algorithm")
            ?? .rs256
        operatorPassword = try Self.password(
            text(options.operatorPassword, "OPERATOR_PASSWORD"), environment)
        merchantLeewaySeconds = try Self.leeway(text(options.merchantLeeway, "MERCHANT_LEEWAY"))
        let isDemo = try Self.isOn("DEMO", environment)
        demo = options.demo || isDemo
        stateDirectory =
            text(options.stateDirectory, "STATE_DIRECTORY")
            ?? (demo ? nil : Self.defaultStateDirectory(environment))
        guard demo || stateDirectory != nil else {
            throw .configuration(
                "no path for the state: pass --state-directory DIR (neither $STATE_DIRECTORY, "
                    + "$XDG_STATE_HOME nor $HOME is set)")
        }
        switch (text(options.tlsCertificate, "TLS_CERTIFICATE"), text(options.tlsKey, "TLS_KEY")) {
        case (nil, nil): tls = nil
        case (let certificate?, let key?): tls = (certificate, key)
        default:
            throw .configuration("--tls-certificate and --tls-key must be given together")
        }
        logLevel = try Self.word(text(options.logLevel, "LOG_LEVEL"), "log level") ?? .info
        logFormat =
            try Self.word(text(options.logFormat, "LOG_FORMAT"), "log format")
            ?? LogFormat.suggested
    }

    private static let prefix = "PAYQUEUE_STORE_"

    private static let variables = [
        "BUNDLE_ID", "CATALOG", "DEMO", "HISTORY_ALGORITHM", "LISTEN", "LOG_FORMAT", "LOG_LEVEL",
        "MERCHANT_LEEWAY", "OPERATOR_PASSWORD", "SOCKET_MODE", "STATE_DIRECTORY",
        "TLS_CERTIFICATE", "TLS_KEY",
    ]

    /// Refuses variables with the server's prefix that set nothing. A misspelled one would start
    /// the server on an unintended state directory.
    private static func checkNames(of environment: [String: String]) throws(StartFailure) {
        for name in environment.keys.sorted() where name.hasPrefix(prefix) {
            let word = String(name.dropFirst(prefix.count))
            // Container platforms name services of the namespace in such variables.
            guard !variables.contains(word), !word.hasPrefix("SERVICE_"), !word.hasPrefix("PORT")
            else { continue }
            let hint = NearestName.find(word, in: variables)
            throw .configuration(
                "unknown environment variable '\(name)'"
                    + (hint.map { "; did you mean '\(prefix)\($0)'?" } ?? ""))
        }
    }

    private static func isOn(
        _ name: String, _ environment: [String: String]
    ) throws(StartFailure) -> Bool {
        switch environment[prefix + name] {
        case "1", "true", "yes": return true
        case nil, "", "0", "false", "no": return false
        case let value?:
            throw .configuration(
                "cannot use '\(value)' as environment \(prefix)\(name): expected true or false")
        }
    }

    /// The password from a file that only its owner can read, or from the service manager's
    /// credential `operator-password`. It never comes from the command line or the environment.
    private static func password(
        _ path: String?, _ environment: [String: String]
    ) throws(StartFailure) -> OpaqueText? {
        let given: GivenSecret?
        if let path {
            given = GivenSecret(
                what: "password", path: path, credentials: environment["CREDENTIALS_DIRECTORY"])
        } else {
            given = .credential("operator-password", "password", environment: environment)
        }
        guard let given else { return nil }
        let password = try given.text()
        guard password.utf8.count >= 8 else {
            throw .configuration("the password in '\(given.path)' is shorter than 8 bytes")
        }
        return OpaqueText(password)
    }

    private static func leeway(_ text: String?) throws(StartFailure) -> Int64 {
        guard let text else { return MerchantPolicy.standardLeewaySeconds }
        let range = MerchantPolicy.leewayRange
        guard let seconds = Int64(text), range.contains(seconds) else {
            throw .configuration(
                "merchant leeway is '\(text)': expected whole seconds, \(range.lowerBound) to "
                    + "\(range.upperBound)")
        }
        return seconds
    }

    private static func mode(_ text: String?) throws(StartFailure) -> mode_t {
        guard let text else { return 0o600 }
        guard let mode = mode_t(text, radix: 8), mode <= 0o777, mode & 0o600 == 0o600 else {
            throw .configuration("socket mode is '\(text)': expected an octal mode such as 0660")
        }
        return mode
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

    /// The state directory of a command other than the server.
    ///
    /// - Throws: No directory is given, or it belongs to another user. The server could not read
    ///   files that this user writes there.
    static func stateDirectory(
        given path: String?, beside server: StoreOptions
    ) throws -> String {
        let environment = ProcessInfo.processInfo.environment
        guard
            let path = path ?? server.stateDirectory
                ?? environment["PAYQUEUE_STORE_STATE_DIRECTORY"]
                ?? defaultStateDirectory(environment)
        else { throw ValidationError("Name the state directory with --state-directory.") }
        var status = stat()
        if stat(path, &status) == 0, status.st_uid != geteuid() {
            let owner = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) }
            throw StartFailure.configuration(
                "cannot use '\(path)' of another user; run this as its owner: sudo -u "
                    + "\(owner ?? "'#\(status.st_uid)'") …")
        }
        return path
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
