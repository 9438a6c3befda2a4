import FoundationEssentials
import PaymentAPI
import StrictJSON

/// The JSON configuration file: known keys only, with the types that they should have.
struct ConfigurationFile {
    /// Every key at the top of the file.
    static let keys = [
        "socket", "stateDirectory", "store", "storeCredentials", "storeCertificates", "catalog",
        "historyAlgorithm", "demo", "logLevel", "logFormat", "roles", "limits", "retention",
        "timeouts", "socketMode", "socketGroup", "keepConnections", "metricsSocket",
    ]

    let path: String
    private let root: JSONValue

    /// Reads a file.
    init(path: String) throws(ConfigurationProblem) {
        self.path = path
        guard let data = FileManager.default.contents(atPath: path) else {
            let exists = FileManager.default.fileExists(atPath: path)
            throw ConfigurationProblem(
                "cannot read configuration '\(path)': "
                    + (exists ? "permission denied or not a file" : "no such file"))
        }
        do {
            root = try JSONValue(parsing: data)
        } catch {
            let place = error.lineAndColumn(in: data)
            throw ConfigurationProblem(
                "configuration '\(path)', line \(place.line), column \(place.column): "
                    + "not valid JSON (\(error.kind.rawValue))")
        }
        try checkNames(of: root, at: "", known: Self.keys)
    }

    /// A text, if the key is there.
    func text(_ key: String) throws(ConfigurationProblem) -> String? {
        guard let value = root[key] else { return nil }
        guard let text = value.stringValue else { throw wrong("/\(key)", "a string") }
        return text
    }

    /// A truth value, if the key is there.
    func flag(_ key: String) throws(ConfigurationProblem) -> Bool? {
        guard let value = root[key] else { return nil }
        guard let flag = value.boolValue else { throw wrong("/\(key)", "true or false") }
        return flag
    }

    /// The whole numbers of an object, by name; empty if the key is not there.
    func numbers(
        _ key: String, known: [String], in range: ClosedRange<Int64>
    ) throws(ConfigurationProblem) -> [(name: String, value: Int)] {
        guard let object = root[key] else { return [] }
        try checkNames(of: object, at: "/\(key)", known: known)
        var numbers: [(name: String, value: Int)] = []
        for member in object.members ?? [] {
            guard let number = member.value.intValue, range.contains(number) else {
                throw wrong(
                    "/\(key)/\(member.name)",
                    "a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            numbers.append((member.name, Int(number)))
        }
        return numbers
    }

    /// An object, if the key is there, with only known names.
    func object(
        _ key: String, known: [String]
    ) throws(ConfigurationProblem) -> [JSONMember]? {
        guard let object = root[key] else { return nil }
        try checkNames(of: object, at: "/\(key)", known: known)
        return object.members
    }

    /// The names inside of objects, each behind the key of its object and a dot.
    var memberKeys: Set<String> {
        let keys = (root.members ?? []).flatMap { object in
            (object.value.members ?? []).map { "\(object.name).\($0.name)" }
        }
        return Set(keys)
    }

    /// A problem with the value at a path.
    func wrong(_ place: String, _ expected: String) -> ConfigurationProblem {
        ConfigurationProblem(
            "configuration '\(path)', \(place): expected \(expected)", place: place)
    }

    private func checkNames(
        of value: JSONValue, at place: String, known: [String]
    ) throws(ConfigurationProblem) {
        guard let members = value.members else {
            throw wrong(place.isEmpty ? "the whole file" : place, "an object")
        }
        for member in members where !known.contains(member.name) {
            let hint = NearestName.find(member.name, in: known)
            throw ConfigurationProblem(
                "configuration '\(path)': unknown key '\(place)/\(member.name)'"
                    + (hint.map { "; did you mean '\($0)'?" } ?? ""),
                place: "\(place)/\(member.name)")
        }
    }
}
