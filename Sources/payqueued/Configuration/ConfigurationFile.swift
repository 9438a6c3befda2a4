import PaymentAPI
import PaymentStorage
import StrictJSON

/// The JSON configuration file. Only known keys with values of the right type are permitted.
struct ConfigurationFile {
    /// The key of the file's JSON Schema, for editors; the daemon ignores its value.
    static let schemaKey = "$schema"

    let path: String
    private let root: JSONValue

    /// Reads a file.
    init(path: String) throws(ConfigurationProblem) {
        let data: [UInt8]
        do throws(GivenFile.Failure) {
            data = try GivenFile.read(path, .unchangeable)
        } catch {
            throw ConfigurationProblem("cannot read configuration '\(path)': \(error)")
        }
        try self.init(data, path: path)
    }

    /// Reads the bytes of a file; the path is for problems and for the sources of settings.
    init(_ data: [UInt8], path: String) throws(ConfigurationProblem) {
        self.path = path
        do {
            root = try JSONValue(parsing: data)
        } catch {
            let place = error.lineAndColumn(in: data)
            throw ConfigurationProblem(
                "configuration '\(path)', line \(place.line), column \(place.column): "
                    + "not valid JSON (\(error.kind.rawValue))")
        }
        let objects = ConfigurationKey.objects
        for (object, keys) in objects {
            var known = keys.map(\.place.name)
            if object.isEmpty { known += objects.map(\.object) + [Self.schemaKey] }
            guard let value = object.isEmpty ? root : root[object] else { continue }
            try checkNames(of: value, at: object.isEmpty ? "" : "/\(object)", known: known)
        }
        _ = try text(Self.schemaKey)
    }

    /// An optional string.
    func text(_ key: String) throws(ConfigurationProblem) -> String? {
        guard let (value, place) = member(key) else { return nil }
        guard let text = value.stringValue else { throw wrong(place, "a string") }
        return text
    }

    /// An optional Boolean value.
    func flag(_ key: String) throws(ConfigurationProblem) -> Bool? {
        guard let value = root[key] else { return nil }
        guard let flag = value.boolValue else { throw wrong("/\(key)", "true or false") }
        return flag
    }

    /// An optional integer.
    func number(_ key: String, in range: ClosedRange<Int>) throws(ConfigurationProblem) -> Int? {
        guard let (value, place) = member(key) else { return nil }
        guard let number = value.intValue.flatMap(Int.init(exactly:)), range.contains(number) else {
            throw wrong(
                place, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// An optional list of roles.
    func roles(_ key: String) throws(ConfigurationProblem) -> Set<Role>? {
        guard let (value, place) = member(key) else { return nil }
        return try roleSet(value, at: place)
    }

    /// An optional object of role lists by user or group id.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - identifier: Returns the id for a name on this machine.
    /// - Returns: The roles by id; nil without the key.
    /// - Throws: A name or a role is unknown.
    func roleTable(
        _ key: String, _ identifier: (String) -> UInt32?
    ) throws(ConfigurationProblem) -> [UInt32: Set<Role>]? {
        guard let (value, place) = member(key) else { return nil }
        guard let members = value.members else { throw wrong(place, "an object") }
        var table: [UInt32: Set<Role>] = [:]
        for member in members {
            guard let id = UInt32(member.name) ?? identifier(member.name) else {
                throw wrong("\(place)/\(member.name)", "a number or a name that exists here")
            }
            table[id] = try roleSet(member.value, at: "\(place)/\(member.name)")
        }
        return table
    }

    private func roleSet(
        _ value: JSONValue, at place: String
    ) throws(ConfigurationProblem) -> Set<Role> {
        let words = Role.allCases.map(\.rawValue).joined(separator: ", ")
        guard let values = value.arrayValue else { throw wrong(place, "a list of \(words)") }
        var roles: Set<Role> = []
        for value in values {
            guard let role = value.stringValue.flatMap({ Role(rawValue: $0) }) else {
                throw wrong(place, "a list of \(words)")
            }
            roles.insert(role)
        }
        return roles
    }

    /// The value of a key inside an object, such as `limits.depth`, and its JSON Pointer.
    private func member(_ key: String) -> (value: JSONValue, place: String)? {
        let parts = key.split(separator: ".").map(String.init)
        var value: JSONValue? = root
        for part in parts { value = value?[part] }
        return value.map { ($0, "/" + parts.joined(separator: "/")) }
    }

    /// A problem with the value at a JSON Pointer.
    private func wrong(_ place: String, _ expected: String) -> ConfigurationProblem {
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
            // A key of another object is named with it.
            let elsewhere = ConfigurationKey.all.first { $0.place.name == member.name }?.name
            let hint = elsewhere ?? NearestName.find(member.name, in: known)
            throw ConfigurationProblem(
                "configuration '\(path)': unknown key '\(place)/\(member.name)'"
                    + (hint.map { "; did you mean '\($0)'?" } ?? ""),
                place: "\(place)/\(member.name)")
        }
    }
}
