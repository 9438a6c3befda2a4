import PaymentAPI
import StrictJSON

/// The JSON Schema (draft 2020-12) of the configuration file, for editors and for the reference
/// pages.
///
/// Members without a standard keyword begin with `x-`: the flag, the environment variable, the
/// unit, the default in words, and whether a reload is enough.
enum ConfigurationSchema {
    static let identifier = "urn:payqueued:configuration"

    static var value: JSONValue {
        var properties: [JSONMember] = [
            JSONMember(
                name: ConfigurationFile.schemaKey,
                value: [
                    "description": """
                    Name of this schema, for editors. The daemon ignores it.
                    """,
                    "type": "string",
                    "examples": ["/usr/share/payqueued/schemas/payqueued.schema.json"],
                ])
        ]
        for (object, keys) in ConfigurationKey.objects {
            let members = keys.map { JSONMember(name: $0.place.name, value: schema(of: $0)) }
            if object.isEmpty {
                properties += members
            } else {
                properties.append(
                    JSONMember(name: object, value: closed(members, titles[object] ?? "")))
            }
        }
        let head: JSONValue = [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": .string(identifier),
            "title": "payqueued.json",
        ]
        return .object(
            (head.members ?? [])
                + (closed(properties, introduction).members ?? [])
                + [JSONMember(name: "examples", value: [example])])
    }

    private static let introduction = """
        Configuration of payqueued, the payment queue daemon.
        The file is one JSON object in UTF-8. The daemon reads the file of --config, else of \
        $PAYQUEUED_CONFIG, else payqueued.json in $CONFIGURATION_DIRECTORY, which is /etc/payqueued \
        under systemd. A flag beats the environment, the environment beats the file.
        A key that is not named here is refused, with the nearest known name, and so is an \
        environment variable PAYQUEUED_… that sets no key. \
        'payqueued --check-config' checks a file, 'payqueued --print-config' shows \
        each value and where it came from.
        """

    private static let example: JSONValue = [
        "$schema": "/usr/share/payqueued/schemas/payqueued.schema.json",
        "logLevel": "info",
        "catalog": "/etc/payqueued/catalog.json",
        "roles": [
            "everybody": ["observe", "buy", "gate"],
            "groups": ["adm": ["observe", "buy", "gate", "admin"]],
        ],
        "limits": ["connections": 256, "connectionsPerUser": 64],
        "retention": ["logDays": 30, "logBytes": 67_108_864],
        "timeouts": ["drainSeconds": 5],
    ]

    /// The titles of the objects in the file.
    private static let titles = [
        "retention": "Retention periods.",
        "timeouts": "Timeouts.",
        "limits": "Resource limits.",
        "roles": "Roles of the users of this machine.",
        "cluster": "This node among those that share a queue.",
    ]

    private static func closed(_ properties: [JSONMember], _ description: String) -> JSONValue {
        [
            "description": .string(description), "type": "object",
            "properties": .object(properties), "additionalProperties": false,
        ]
    }

    private static func schema(of key: ConfigurationKey) -> JSONValue {
        var members = [JSONMember(name: "description", value: .string(key.meaning))]
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append(JSONMember(name: name, value: value)) }
        }
        members += shape(key.shape)
        switch key.standard {
        case .value(let value): add("default", value)
        case .words(let words): add("x-default", .string(words))
        }
        add("examples", [key.example])
        add("x-unit", key.unit.map { .string($0) })
        add("x-flag", key.flag.map { .string($0) })
        add("x-environment", key.variable.map { .string($0) })
        add("x-reloadable", .bool(key.isReloadable))
        return .object(members)
    }

    private static func shape(_ shape: ConfigurationKey.Shape) -> [JSONMember] {
        let value: JSONValue =
            switch shape {
            case .text(let pattern, let longest):
                .object(
                    [
                        JSONMember(name: "type", value: "string"),
                        JSONMember(name: "minLength", value: 1),
                    ]
                        + (longest.map { [JSONMember(name: "maxLength", value: .integer($0))] }
                            ?? [])
                        + (pattern.map { [JSONMember(name: "pattern", value: .string($0))] } ?? []))
            case .flag: ["type": "boolean"]
            case .word(let words): ["enum": .array(words.map { .string($0) })]
            case .number(let range):
                [
                    "type": "integer", "minimum": .integer(range.lowerBound),
                    "maximum": .integer(range.upperBound),
                ]
            case .roles: roles
            case .roleTable: ["type": "object", "additionalProperties": roles]
            }
        return value.members ?? []
    }

    private static let roles: JSONValue = [
        "type": "array", "items": ["enum": .array(Role.allCases.map { .string($0.rawValue) })],
    ]
}
