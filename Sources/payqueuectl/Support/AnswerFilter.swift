import ArgumentParser
import PaymentAPI
import StrictJSON

/// A path into an answer in the syntax of `jq`: `.name`, `[2]`, and `[]` for every element.
struct AnswerFilter: ExpressibleByArgument {
    private enum Step: Equatable {
        case member(String)
        case element(Int)
        case each
    }

    private let steps: [Step]

    /// The expected form of a path, for the end of a sentence.
    static let form = "expected a path such as '.queue', '.transactions[0]' or '.transactions[].id'"

    init?(argument: String) {
        guard let steps = Self.parse(argument) else { return nil }
        self.steps = steps
    }

    /// The values at the path; a missing member gives none.
    func select(from answer: JSONValue) -> [JSONValue] {
        steps.reduce([answer]) { found, step in
            found.flatMap { value -> [JSONValue] in
                switch step {
                case .member(let name): value[name].map { [$0] } ?? []
                case .element(let index): value[index].map { [$0] } ?? []
                case .each: value.arrayValue ?? value.members?.map(\.value) ?? []
                }
            }
        }
    }

    /// The first part of the path that no value of a shape has, and the nearest valid name. Nil if
    /// the path is valid, or enters a value with unknown members.
    func unknownMember(in shape: ResultShape) -> (path: String, nearest: String?)? {
        var shape = shape
        var path = ""
        for step in steps {
            let next: ResultShape?
            switch step {
            case .member(let name):
                guard let members = shape.members else { return nil }
                next = shape.member(name)
                if next == nil {
                    let nearest = NearestName.find(name, in: members)
                    return ("\(path).\(name)", nearest.map { "\(path).\($0)" })
                }
                path += ".\(name)"
            case .element(let index):
                next = shape.element
                path += "[\(index)]"
            case .each:
                next = shape.element
                path += "[]"
            }
            guard let next else { return nil }
            shape = next
        }
        return nil
    }

    /// A value on one line: a string unchanged for the shell, any other value as JSON.
    static func text(_ value: JSONValue) -> String {
        value.stringValue ?? value.jsonText()
    }

    /// Whether a character is valid in a member name. Other signs belong to parts of the `jq`
    /// language that are not supported.
    private static func isPartOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "_-$".contains(character)
    }

    private static func parse(_ path: String) -> [Step]? {
        var rest = path[...]
        var steps: [Step] = []
        guard rest.hasPrefix(".") else { return nil }
        if rest == "." { return [] }
        while let first = rest.first {
            rest.removeFirst()
            switch first {
            case ".":
                // As in jq, a dot may precede a bracket: `.[0]`.
                if rest.first == "[" { continue }
                let name = rest.prefix { $0 != "." && $0 != "[" }
                guard !name.isEmpty, name.allSatisfy(isPartOfName) else { return nil }
                rest.removeFirst(name.count)
                steps.append(.member(String(name)))
            case "[":
                let inside = rest.prefix { $0 != "]" }
                guard inside.count < rest.count else { return nil }
                rest.removeFirst(inside.count + 1)
                if inside.isEmpty {
                    steps.append(.each)
                } else if let index = Int(inside), index >= 0 {
                    steps.append(.element(index))
                } else {
                    return nil
                }
            default:
                return nil
            }
        }
        return steps
    }
}
