import Foundation

/// Python packages that only tests need, in environments of their own that outlive the run.
enum PythonTools {
    /// What tries and checks the Python client: the folder of the programs; nil where the packages
    /// cannot be installed.
    static let programs = environment(
        "python-tools",
        lists: ["clients/interop/requirements.txt", "clients/python/requirements-dev.txt"],
        modules: "build, flit_core, twine, mypy, web3, aiorpcx")

    /// What a publisher's backend needs. `clients/market.py` looks in the same place.
    static let publisher = environment(
        "python-publisher", lists: ["clients/python/requirements-publisher.txt"],
        modules: "jwt, cryptography, joserfc, jsonschema")

    /// What makes requests from a description of an API.
    static let api = environment(
        "python-api", lists: ["Tests/EndToEndTests/StoreAPI/requirements.txt"],
        modules: "schemathesis, jwt")

    private static func environment(
        _ name: String, lists: [String], modules: String
    ) -> String? {
        let folder = Built.root.appending(path: ".build/\(name)").path
        guard !works(folder, modules) else { return "\(folder)/bin" }
        let files = lists.map { "-r '\(Built.root.appending(path: $0).path)'" }
        let install =
            "python3 -m venv '\(folder)' && '\(folder)/bin/pip' install --quiet "
            + "--disable-pip-version-check --retries 1 --timeout 15 "
            + files.joined(separator: " ")
        guard Built.has("python3"), let place = try? Workplace() else { return nil }
        let made = try? Child.run(["sh", "-c", install], in: place, seconds: 300)
        guard made?.ending == .exit(0), works(folder, modules) else {
            print("pip said: \(made?.errors.suffix(300) ?? "nothing")")
            return nil
        }
        return "\(folder)/bin"
    }

    private static func works(_ folder: String, _ modules: String) -> Bool {
        let python = "\(folder)/bin/python"
        guard access(python, X_OK) == 0, let place = try? Workplace() else { return false }
        let tried = try? Child.run([python, "-c", "import \(modules)"], in: place, seconds: 60)
        return tried?.ending == .exit(0)
    }
}
