import StrictJSON

/// The parts of a program's manual page that are not in its help: files, environment and exit
/// status.
struct ProgramFacts {
    /// A name and its meaning.
    struct Term {
        let name: String
        let meaning: String

        init(_ name: String, _ meaning: String) {
            self.name = name
            self.meaning = meaning
        }
    }

    let environment: [Term]
    let files: [Term]
    let exits: [Term]

    /// Adds the sections to a page.
    func write(into page: inout Roff) {
        for (title, terms) in [
            ("Environment", environment), ("Files", files), ("Exit status", exits),
        ] {
            page.section(title)
            for term in terms { page.term(term.name, term.meaning) }
        }
    }

    /// The facts of a program.
    ///
    /// - Parameters:
    ///   - program: The name of the program.
    ///   - flags: The long names of its flags, without dashes.
    ///   - configuration: The schema of the daemon's configuration file.
    /// - Returns: The facts; nil for an unknown program.
    static func of(
        _ program: String, flags: [String], configuration: JSONValue?
    ) -> ProgramFacts? {
        switch program {
        case "payqueued": daemon(configuration)
        case "payqueuectl": control
        case "payqueue-store": store(flags)
        default: nil
        }
    }

    private static func daemon(_ configuration: JSONValue?) -> ProgramFacts {
        let keys = (configuration?["properties"]?.members ?? []).compactMap { key in
            key.value["x-environment"]?.stringValue.map {
                Term($0, "As the key \(key.name) in payqueued.json(5).")
            }
        }
        return ProgramFacts(
            environment: [Term("PAYQUEUED_CONFIG", "Configuration file, as --config.")] + keys
                + manager + [
                    Term("CONFIGURATION_DIRECTORY", "Directory of payqueued.json."),
                    Term("XDG_RUNTIME_DIR", "Directory of a user's own socket."),
                ] + surroundings,
            files: [
                Term("/etc/payqueued/payqueued.json", "Configuration, see payqueued.json(5)."),
                Term("/run/payqueued/payqueued.sock", "Socket for clients."),
                Term("/run/payqueued/metrics.sock", "Socket for measurements, if it is enabled."),
                Term("/var/lib/payqueued", "Journal, snapshots, keys and backups."),
                Term(
                    "$XDG_RUNTIME_DIR/payqueued/payqueued.sock, ~/.local/state/payqueued",
                    "Socket and state of a user's own daemon."),
                Term("/etc/credstore/payqueued.store-credentials", "Credentials for the store."),
                Term(
                    "/usr/share/payqueued/schemas",
                    "JSON Schemas of the configuration and the catalogue, for editors."),
            ], exits: exits(inUse: "another daemon"))
    }

    private static let control = ProgramFacts(
        environment: [
            Term("PAYQUEUED_SOCKET", "Socket of the daemon, where --socket is not given."),
            Term("XDG_RUNTIME_DIR", "Directory of the socket of a user's own daemon."),
        ],
        files: [
            Term(
                "$XDG_RUNTIME_DIR/payqueued/payqueued.sock",
                "Socket of a user's own daemon, where there is one."),
            Term("/run/payqueued/payqueued.sock", "Socket of the system's daemon."),
        ],
        exits: [
            (ExitStatus.done, "success"),
            (.refused, "the daemon refused, or the purchase failed"),
            (.noConnection, "no connection, or the connection ended"),
            (.usage, "the command line cannot be understood"),
            (.timeRanOut, "the time allowed ran out"),
            (.cursorUnusable, "the records that a cursor names are gone or not there yet"),
        ].map { Term("\($0.0.rawValue)", sentence($0.1)) })

    private static func store(_ flags: [String]) -> ProgramFacts {
        let own = flags.filter { !["check-config", "help", "version"].contains($0) }.map { flag in
            Term(
                "PAYQUEUE_STORE_" + flag.uppercased().replacing("-", with: "_"), "As --\(flag).")
        }
        return ProgramFacts(
            environment: own + manager + surroundings,
            files: [
                Term("/var/lib/payqueue-store", "Journal, sessions, merchants and keys."),
                Term(
                    "/etc/credstore/payqueue-store.operator-password",
                    "Password of the operator's page."),
            ], exits: exits(inUse: "another process"))
    }

    /// Variables that a service manager sets.
    private static let manager = [
        Term("RUNTIME_DIRECTORY, STATE_DIRECTORY", "Directories that the service manager made."),
        Term("CREDENTIALS_DIRECTORY", "Directory of the service manager's credentials."),
        Term(
            "NOTIFY_SOCKET, WATCHDOG_USEC, LISTEN_FDS",
            "Service notification, watchdog and passed sockets, as in sd_notify(3) and "
                + "sd_listen_fds(3)."),
    ]

    /// Variables of a user's session.
    private static let surroundings = [
        Term("XDG_STATE_HOME, HOME", "Where a user's own state is."),
        Term("TMPDIR", "Where a demonstration has its state; /tmp without it."),
    ]

    private static func exits(inUse owner: String) -> [Term] {
        [
            ("0", "stopped as asked"),
            ("64", "the command line cannot be understood"),
            ("65", "the journal is damaged; nothing was written"),
            ("69", "\(owner) owns the socket, the address or the state directory"),
            ("71", "the system gives less than a start needs"),
            ("74", "storage failed; nothing of the last batch was acknowledged"),
            ("78", "the configuration cannot be used"),
        ].map { Term($0.0, sentence($0.1)) }
    }

    private static func sentence(_ phrase: String) -> String {
        phrase.prefix(1).uppercased() + phrase.dropFirst() + "."
    }
}
