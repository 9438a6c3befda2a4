public import PaymentCore
public import StrictJSON

/// The contract as an OpenRPC document.
public enum Discover {
    /// The version of the OpenRPC specification of the document.
    public static let openRPCVersion = "1.4.0"

    /// Generates the whole document.
    ///
    /// - Parameter limits: The current limits.
    /// - Returns: The document, with a fixed order of members.
    public static func document(limits: Limits) -> JSONValue {
        [
            "openrpc": .string(openRPCVersion),
            "info": [
                "title": .string(Version.server),
                "description": .string(introduction),
                "version": .string(Version.current),
                "license": ["name": "Apache-2.0"],
            ],
            "methods": .array(Contract.methods.map { method($0.spec) }),
            "components": [
                "schemas": .object(
                    Schema.components.map { JSONMember(name: $0.name, value: $0.schema) }),
                "contentDescriptors": ["trace": trace],
            ],
            "x-notifications": .array(Notification.all.map(notification)),
            "x-limits": .object(
                limits.named.map { JSONMember(name: $0.name, value: .integer($0.value)) }),
        ]
    }

    private static let introduction = """
        A payment queue over JSON-RPC 2.0: one JSON value per line on a Unix stream socket. \
        Parameters are objects; methods with at most two parameters also accept an array. Unknown \
        parameters are an error. Every params object may also have the member trace. Later \
        versions may add members to results and events: ignore members that you do not know. The \
        notifications of the daemon are listed under x-notifications.
        """

    private static let trace: JSONValue = [
        "name": "trace",
        "description": "A trace context; repeated in the records that the call causes.",
        "schema": Arguments.trace.shape.schema,
    ]

    private static func method(_ spec: MethodSpec) -> JSONValue {
        [
            "name": .string(spec.name.description),
            "summary": .string(spec.summary),
            "description": .string(spec.description),
            "paramStructure": spec.acceptsArrays ? "either" : "by-name",
            "params": .array(spec.parameters.map(parameter)),
            "result": ["name": "result", "schema": spec.resultSchema],
            "errors": .array((spec.errors + Contract.commonErrors).uniqued.map(error)),
            "examples": [example(spec)],
            "x-waits": .bool(spec.waits),
            "x-role": .string(spec.role.rawValue),
        ]
    }

    private static func parameter(_ parameter: ParameterSpec) -> JSONValue {
        var members = [
            JSONMember(name: "name", value: .string(parameter.name.description)),
            JSONMember(name: "description", value: .string(parameter.summary)),
            JSONMember(name: "required", value: .bool(parameter.isRequired)),
            JSONMember(name: "schema", value: parameter.shape.schema),
        ]
        if let role = parameter.needs {
            members.append(JSONMember(name: "x-role", value: .string(role.rawValue)))
        }
        return .object(members)
    }

    private static func error(_ code: ErrorCode) -> JSONValue {
        var data = [
            JSONMember(name: "kind", value: .string(code.kind)),
            JSONMember(name: "retry", value: .string(code.retry.rawValue)),
        ]
        if let retryAfterMs = code.retryAfterMs {
            data.append(JSONMember(name: "retryAfterMs", value: .integer(retryAfterMs)))
        }
        data.append(JSONMember(name: "effect", value: .string(code.effect.rawValue)))
        return [
            "code": .integer(code.rawValue), "message": .string(code.message),
            "data": .object(data),
        ]
    }

    private static func example(_ spec: MethodSpec) -> JSONValue {
        let params = (spec.example.params.members ?? []).map { member -> JSONValue in
            ["name": .string(member.name), "value": member.value]
        }
        return [
            "name": .string(spec.name.description),
            "params": .array(params),
            "result": ["name": "result", "value": spec.example.result],
        ]
    }

    private static func notification(_ notification: Notification) -> JSONValue {
        [
            "name": .string(notification.name),
            "summary": .string(notification.summary),
            "params": notification.schema,
        ]
    }
}

extension [ErrorCode] {
    /// The distinct codes, in order of first occurrence.
    fileprivate var uniqued: [ErrorCode] {
        var seen: Set<ErrorCode> = []
        return filter { seen.insert($0).inserted }
    }
}
