import ArgumentParser
import PaymentSandbox
import StrictJSON

/// The flags of the daemon. Flags that ``ConfigurationKey/all`` reads are also configuration keys
/// and environment variables.
struct DaemonOptions: ParsableArguments {
    @Option(help: "Listening socket; ignored when systemd passes one.", valueName: "PATH")
    var socket: String?

    @Option(help: "Journal, snapshots and keys.", valueName: "DIR")
    var stateDirectory: String?

    @Option(help: "Log of the queue: file: or etcd://HOST:PORT,.../PREFIX.", valueName: "LOG")
    var journal: String?

    @Option(help: "JSON configuration.", valueName: "FILE")
    var config: String?

    @Option(help: "Store that takes the payments: sandbox or a URL.", valueName: "STORE")
    var store: String?

    @Option(help: "Product catalogue of the sandbox: JSON or .storekit.", valueName: "FILE")
    var catalog: String?

    @Flag(help: "Serve the state, accept no changes, and change none of its files.")
    var readOnly = false

    @Flag(help: "Embedded store, example catalogue, 'demo' logged in at first.")
    var demo = false

    @Option(help: "trace, debug, info, notice, warning, error, critical.", valueName: "LEVEL")
    var logLevel: String?

    @Option(help: "text, json or journald.", valueName: "FORMAT")
    var logFormat: String?

    @Option(help: "Socket that serves metrics and health over HTTP.", valueName: "PATH")
    var metricsSocket: String?

    @Flag(help: "Validate the configuration and exit.")
    var checkConfig = false

    @Flag(help: "Print each setting and its source, and exit.")
    var printConfig = false

    @Option(
        help: ArgumentHelp(
            "Print the JSON Schema of config or catalog, and exit.", valueName: "NAME"))
    var printSchema: PrintedSchema?
}

/// The schemas that `--print-schema` prints.
enum PrintedSchema: String, ExpressibleByArgument, CaseIterable {
    case config
    case catalog

    var value: JSONValue {
        switch self {
        case .config: ConfigurationSchema.value
        case .catalog: CatalogueSchema.value
        }
    }
}

extension Option where Value == String? {
    /// Creates an option with a fixed placeholder for its value.
    init(help: String, valueName: String) {
        self.init(help: ArgumentHelp(stringLiteral: help, valueName: valueName))
    }
}

extension ArgumentHelp {
    fileprivate init(stringLiteral help: String, valueName: String) {
        self.init(help, valueName: valueName)
    }
}
