extension Checks {
    /// A method has a file, a place in the list, a handler, a conversation that calls it, and recorded
    /// references. Each that is missing is named.
    static func incompleteMethods(_ tree: SourceTree) -> [Finding] {
        let list = tree["Sources/PaymentAPI/Contract/Contract.swift"]?.text ?? ""
        let handlers = text(of: tree) {
            $0.hasPrefix("Sources/PaymentServer/Handlers/") || $0.hasSuffix("/MethodTable.swift")
        }
        let conversations = text(of: tree) {
            $0.hasPrefix("clients/transcripts/")
                || $0.hasPrefix("Tests/PaymentServerTests/")
                || $0.hasPrefix("Tests/EndToEndTests/")
                    && $0.hasSuffix(".swift")
        }
        let contract = tree["clients/openrpc.json"]?.text ?? ""
        let reference = tree["Sources/payqueued/Documentation.docc/Methods.md"]?.text ?? ""
        return methods(of: tree).flatMap { method -> [Finding] in
            let steps: [(isDone: Bool, message: String)] = [
                (list.contains("\(method.type).self"), "is not in Contract.methods"),
                (
                    method.isControl || handlers.contains("\(method.type).self"),
                    "has no handler in PaymentServer/Handlers"
                ),
                (
                    conversations.contains("\"\(method.name)\""),
                    "is called by no transcript and no test"
                ),
                (
                    contract.contains("\"\(method.name)\""),
                    "is not in clients/openrpc.json: record it with RECORD=1"
                ),
                (
                    reference.contains("### \(method.name)\n"),
                    "is not in Methods.md: record it with RECORD=1"
                ),
            ]
            return steps.filter { !$0.isDone }.map {
                Finding(path: method.path, line: 0, message: "'\(method.name)' \($0.message)")
            }
        }
    }

    /// The methods that the files of the contract declare. One handler serves all controls.
    private static func methods(
        of tree: SourceTree
    ) -> [(path: String, type: String, name: String, isControl: Bool)] {
        tree.files.filter { $0.isSwift && $0.path.hasPrefix("Sources/PaymentAPI/Methods/") }
            .flatMap { file in
                let types = file.text.matches(of: #/public enum (\w+): (Control)?Method \{/#)
                let names = file.text.matches(of: #/self, name: "([\w.]+)"/#.ignoresCase())
                return zip(types, names).map { type, name in
                    (file.path, String(type.1), String(name.1), type.2 != nil)
                }
            }
    }

    private static func text(of tree: SourceTree, where isPart: (String) -> Bool) -> String {
        tree.files.filter { isPart($0.path) }.map(\.text).joined(separator: "\n")
    }
}
