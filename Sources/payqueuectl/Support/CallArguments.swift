import ArgumentParser
import StrictJSON

/// Converts command-line arguments into the parameters of a call.
enum CallArguments {
    /// An object from `key=value` arguments; nil for none.
    ///
    /// - Throws: `ValidationError` for an invalid argument or a repeated name.
    static func object(_ words: [String], method: String) throws -> JSONValue? {
        guard !words.isEmpty else { return nil }
        var members: [JSONMember] = []
        for word in words {
            let member = try member(word, method: method)
            guard !members.contains(where: { $0.name == member.name }) else {
                throw ValidationError("The parameter '\(member.name)' is given twice.")
            }
            members.append(member)
        }
        return .object(members)
    }

    /// All parameters as one JSON value.
    static func whole(_ text: String, for what: String) throws -> JSONValue {
        let value = try json(text, for: what)
        switch value {
        case .object, .array: return value
        default: throw ValidationError("--params takes a JSON object or array, not '\(text)'.")
        }
    }

    private static func member(_ word: String, method: String) throws -> JSONMember {
        guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
            throw ValidationError("'\(word)' is not a parameter; write it as key=value.")
        }
        let value = String(word[word.index(after: equals)...])
        let before = word.index(before: equals)
        if word[before] == ":", before != word.startIndex {
            let name = String(word[..<before])
            return JSONMember(name: name, value: try json(value, for: "'\(name)'"))
        }
        let name = String(word[..<equals])
        return JSONMember(name: name, value: plain(value, name: name, method: method))
    }

    private static func plain(_ text: String, name: String, method: String) -> JSONValue {
        if ParameterTypes.isText(name, of: method) { return .string(text) }
        guard let value = try? JSONValue(parsing: text.utf8) else { return .string(text) }
        return value
    }

    private static func json(_ text: String, for what: String) throws -> JSONValue {
        do {
            return try JSONValue(parsing: text.utf8)
        } catch {
            throw ValidationError(
                "The value of \(what) is not JSON: \(Wording.of(error.kind.rawValue)) "
                    + "at byte \(error.offset)."
            )
        }
    }
}
