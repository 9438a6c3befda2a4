import Glibc
import Logging
import Observability
import PaymentCore
import PaymentHistory
import PaymentServer
import StrictJSON

extension ConfigurationKey {
    /// All keys in the order of `--print-config`.
    static let all: [ConfigurationKey] =
        places + cluster + store + logging + access + observing + retention + timeouts + limits
        + roles

    private static let placeInDemo = "(in a temporary directory)"

    private static let places: [ConfigurationKey] = [
        .text(
            "socket", \.socket,
            """
            Path of the socket that clients connect to. Ignored if the service manager passes a \
            listening socket.
            """,
            standard: .words(
                """
                payqueued.sock in $RUNTIME_DIRECTORY, else payqueued/payqueued.sock in \
                $XDG_RUNTIME_DIR, else none, and the daemon does not start
                """),
            example: "/run/payqueued/payqueued.sock", longest: SocketPlace.longestPathBytes,
            inDemo: placeInDemo, flag: { $0.socket }),
        .text(
            "stateDirectory", \.stateDirectory,
            """
            Directory of the journal, the snapshots and the keys. It is created if it is missing.
            """,
            standard: .words(
                """
                $STATE_DIRECTORY, else payqueued in $XDG_STATE_HOME, else .local/state/payqueued in \
                $HOME; with demo a temporary directory
                """),
            example: "/var/lib/payqueued", inDemo: placeInDemo, flag: { $0.stateDirectory }),
        .flag(
            "readOnly", \.readOnly,
            """
            Serve the queue as it is in the state directory, and change nothing there: for a disk \
            that cannot be written. Calls that would change something are refused, and no store \
            is asked.
            """, flag: { $0.readOnly }),
    ]

    private static let cluster: [ConfigurationKey] = [
        .text(
            "journal", \.journal,
            """
            Log of the queue: "file:" for the state directory alone, or the etcd cluster that several \
            nodes share, with the beginning of its keys: etcd://HOST:PORT,HOST:PORT/PREFIX. The state \
            directory then holds a copy.
            """,
            standard: .value("file:"), example: "etcd://etcd-1:2379,etcd-2:2379/payqueued",
            pattern: #"^(file:|etcd://[^\s@?#/]+/[^\s@?#]+)$"#, flag: { $0.journal }),
        .text(
            "cluster.node", \.cluster.node,
            "Name of this node, of letters, digits, '.', '-' and '_'. No two nodes have the same.",
            standard: .words("the name of the host"), example: "berlin-1",
            pattern: "^[A-Za-z0-9._-]{1,64}$"),
        .number(
            "cluster.leaseSeconds", \.cluster.leaseSeconds, in: 1...60,
            "Seconds after which another node takes the place of an owner that is silent."),
        .text(
            "cluster.certificates", \.cluster.certificates,
            """
            File with the CA certificates, in PEM, that verify the certificates of etcd. Without it \
            connections to etcd are not encrypted.
            """,
            example: "/etc/payqueued/etcd-ca.pem"),
        .text(
            "cluster.credentials", \.cluster.credentials,
            """
            File with what etcd knows this node by: {"user":"NAME","password":"PASSWORD"}, or \
            {"certificate":"PEM","key":"PEM"}, or both. It must be readable by its owner only.
            """,
            example: "/etc/payqueued/etcd-credentials.json"),
        .text(
            "cluster.peer", \.cluster.peer,
            """
            Host and port where other nodes reach this one, for the calls that they pass on to the owner \
            of the queue. Without it followers refuse changes.
            """,
            example: "berlin-1.example:8485", pattern: #"^[^\s@/]+:[0-9]{1,5}$"#),
        .text(
            "cluster.peerCertificates", \.cluster.peerCertificates,
            """
            File with the CA certificates, in PEM, that verify the certificates of the nodes. The CA must \
            issue certificates to nodes of this cluster only.
            """,
            example: "/etc/payqueued/nodes-ca.pem"),
        .text(
            "cluster.peerCredentials", \.cluster.peerCredentials,
            """
            File with the certificate of this node, which names the host in cluster.peer, and its key: \
            {"certificate":"PEM","key":"PEM"}. It must be readable by its owner only.
            """,
            example: "/etc/payqueued/node-credentials.json"),
    ]

    private static let store: [ConfigurationKey] = [
        .text(
            "store", \.store,
            """
            Store that takes the payments: "sandbox" for the embedded one, or the address of a \
            store server: http://HOST:PORT, https://HOST:PORT or http+unix://PATH.
            """,
            standard: .value("sandbox"), example: "https://store.example:8480",
            pattern: #"^(sandbox|https?://[^\s@?#]+|http\+unix://[^\s@?#]+)$"#,
            flag: { $0.store }),
        .text(
            "storeCredentials", \.storeCredentials,
            """
            File with the credentials by which accounts log in again at the store: \
            {"accounts":{"NAME":"CREDENTIAL"}}. It must be readable by its owner only.
            """,
            standard: .words("store-credentials in $CREDENTIALS_DIRECTORY, if it exists"),
            example: "/etc/payqueued/store-credentials.json"),
        .text(
            "storeCertificates", \.storeCertificates,
            "File with the CA certificates, in PEM, that verify the certificate of an https store.",
            standard: .words("the CA certificates of this machine"),
            example: "/etc/payqueued/store-ca.pem"),
        .text(
            "catalog", \.catalog,
            """
            File with the products and accounts of the embedded store: a catalogue as in \
            payqueued-catalog(5), or a .storekit file of Xcode.
            """,
            standard: .words("the built-in example"), example: "/etc/payqueued/catalog.json",
            isReloadable: true, flag: { $0.catalog }),
        .flag(
            "demo", \.demo,
            """
            Demonstration: the embedded store with the example catalogue, the account demo logged \
            in at the first start, and a temporary state directory.
            """, flag: { $0.demo }),
        .word(
            "historyAlgorithm", \.historyAlgorithm,
            "Algorithm that the embedded store signs transaction histories with.",
            standard: .value("RS256"), example: .es256),
    ]

    private static let logging: [ConfigurationKey] = [
        .word(
            "logLevel", \.logLevel, "Lowest severity that is logged.",
            standard: .value("info"), example: .debug, isReloadable: true, flag: { $0.logLevel }),
        .word(
            "logFormat", \.logFormat,
            "Format of the log: plain lines, JSON objects, or entries of the systemd journal.",
            standard: .words("journald where standard error ends in the journal, else text"),
            example: .json, flag: { $0.logFormat }),
    ]

    private static let access: [ConfigurationKey] = [
        ConfigurationKey(
            name: "socketMode",
            meaning: "Permissions of the socket file, in octal. Ignored for a passed socket.",
            shape: .text(pattern: "^0*[0-7]{1,3}$", longest: nil), standard: .value("0600"),
            example: "0660", isReloadable: false, hasFlag: false,
            read: { sources, configuration throws(ConfigurationProblem) in
                if let mode = try sources.socketMode() { configuration.socketMode = mode }
            },
            shown: { configuration in
                let setting = configuration.socketMode
                return ("0" + String(setting.value, radix: 8), setting.source)
            }),
        .text(
            "socketGroup", \.socketGroup,
            "Group of the socket file, by its name. Ignored for a passed socket.",
            standard: .words("the daemon's own group"), example: "payqueued-clients"),
        .text(
            "adminSocket", \.adminSocket,
            """
            Path of another socket for clients, which only root and the daemon's own user can open. \
            Other users cannot fill the queue of its connections. It is served as the first socket is.
            """,
            example: "/run/payqueued/admin.sock", longest: SocketPlace.longestPathBytes),
        .word(
            "keepConnections", \.keepConnections,
            """
            Whether the service manager keeps client connections open during a restart: auto if it \
            announces room for them, on in any case.
            """, standard: .value("auto"), example: .on),
    ]

    private static let observing: [ConfigurationKey] = [
        .text(
            "metricsSocket", \.metricsSocket,
            "Path of a socket that serves /metrics, /healthz and /readyz over HTTP.",
            example: "/run/payqueued/metrics.sock", longest: SocketPlace.longestPathBytes,
            flag: { $0.metricsSocket }),
        .text(
            "otlpEndpoint", \.otlpEndpoint,
            """
            Address of an OpenTelemetry collector that accepts traces as OTLP over plain HTTP, in \
            JSON. /v1/traces is added to it.
            """,
            standard: .words("none; no traces are sent"), example: "http://localhost:4318",
            pattern: #"^http://[^\s/@?#"<>\\]+(/[^\s@?#"<>\\]*)?$"#,
            variable: "OTEL_EXPORTER_OTLP_ENDPOINT"),
    ]

    private static let retention: [ConfigurationKey] = [
        // Clients rely on ninety days: a forgotten idempotency key could cause a second charge.
        .number(
            "retention.finishedDays", \.retention.finishedDays, in: 90...36_500, example: 365,
            "Days for which finished transactions and their keys are kept."),
        // A log of less than a day or a MiB would be too short for reconnecting observers.
        .number(
            "retention.logDays", \.retention.logDays, in: 1...36_500,
            "Maximum age of the event log, in days."),
        .number(
            "retention.logBytes", \.retention.logBytes, in: 1 << 20...1 << 50,
            "Maximum size of the event log, in bytes."),
        .number(
            "retention.backups", \.retention.backups, in: 1...1_000_000, example: 30,
            """
            Number of backups that are kept below the state directory. When a backup is complete, the \
            oldest beyond this number are removed.
            """),
    ]

    private static let timeouts: [ConfigurationKey] = [
        .number(
            "timeouts.drainSeconds", \.timeouts.drainSeconds, in: 0...3600,
            "Seconds that clients have to read their last lines when the daemon stops."),
        .number(
            "timeouts.loginSeconds", \.timeouts.loginSeconds, in: 1...3600,
            "Seconds that a login question may stay open; the login agents share them in turn."),
        .number(
            "timeouts.paymentSeconds", \.timeouts.paymentSeconds, in: 1...3600,
            "Seconds that a payment question may stay open; the payment agents share them in turn."),
        .number(
            "timeouts.restoreSeconds", \.timeouts.restoreSeconds, in: 1...3600,
            "Seconds that a restore may take."),
        .number(
            "timeouts.reconciliationSeconds", \.timeouts.reconciliationSeconds, in: 1...3600,
            "Seconds from one reconciliation with the store to the next."),
    ]

    private static let limits = Limits.keys.enumerated().map { index, key -> ConfigurationKey in
        .number(
            "limits.\(key.name)", \.[limit: index], in: key.range, isReloadable: true, key.meaning)
    }

    private static let roles: [ConfigurationKey] = [
        .roles(
            "roles.everybody", \.roles.everybody, example: ["observe"],
            """
            Roles of every user who can open the socket and is not named below: observe looks and \
            subscribes, buy buys and finishes, gate answers questions, admin operates the daemon. \
            root and the daemon's own user hold all roles.
            """),
        .roleTable(
            "roles.users", \.roles.users, example: ["www-data": ["observe", "buy"], "1001": []],
            "Roles by user, instead of roles.everybody. Users are names or numbers of this machine."
        ) { name in
            getpwnam(name).map { unsafe $0.pointee.pw_uid }
        },
        .roleTable(
            "roles.groups", \.roles.groups, example: ["adm": ["observe", "buy", "gate", "admin"]],
            """
            Roles by the groups of the client's process, its supplementary groups included, instead \
            of roles.everybody, for users without an entry of their own. A member of several groups has \
            the roles of all of them.
            """
        ) { name in
            getgrnam(name).map { unsafe $0.pointee.gr_gid }
        },
    ]
}
