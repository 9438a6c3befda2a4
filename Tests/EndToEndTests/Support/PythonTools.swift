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

    /// The script `axe.min.js`, which judges whether a page is usable by everybody; nil where it cannot
    /// be installed. Of the package around it nothing is run.
    static let axe: String? = {
        let package = "axe_playwright_python"
        let programs = environment(
            "python-pages", lists: ["Tests/EndToEndTests/Pages/requirements.txt"],
            check: "from importlib.util import find_spec as f; f('\(package)').origin",
            options: "--no-deps")
        guard let programs, let place = try? Workplace() else { return nil }
        let find = "from importlib.util import find_spec as f; print(f('\(package)').origin)"
        let found = try? Child.run(["\(programs)/python", "-c", find], in: place)
        return found.map {
            URL(filePath: $0.output.trimmingCharacters(in: .newlines)).deletingLastPathComponent()
                .appending(path: "axe.min.js").path
        }
    }()

    /// What reads measurements and traces as their standards say.
    static let telemetry = environment(
        "python-telemetry", lists: ["Tests/EndToEndTests/Reference/requirements.txt"],
        modules: "prometheus_client, opentelemetry.proto, google.protobuf, grafana_foundation_sdk")

    private static func environment(
        _ name: String, lists: [String], modules: String
    ) -> String? {
        environment(name, lists: lists, check: "import \(modules)", options: "")
    }

    /// An environment of Python with what the lists name.
    ///
    /// - Parameters:
    ///   - name: The folder's name below `.build`.
    ///   - lists: The lists of requirements.
    ///   - check: Python that fails unless everything is installed.
    ///   - options: Options of the installer.
    /// - Returns: The folder with its programs; nil if it cannot be made.
    private static func environment(
        _ name: String, lists: [String], check: String, options: String
    ) -> String? {
        let folder = Built.root.appending(path: ".build/\(name)").path
        guard !works(folder, check) else { return "\(folder)/bin" }
        let files = lists.map { "-r '\(Built.root.appending(path: $0).path)'" }
        let install =
            "python3 -m venv '\(folder)' && '\(folder)/bin/pip' install --quiet "
            + "--disable-pip-version-check --retries 1 --timeout 15 \(options) "
            + files.joined(separator: " ")
        guard Built.has("python3"), let place = try? Workplace() else { return nil }
        let made = try? Child.run(["sh", "-c", install], in: place, seconds: 300)
        guard made?.ending == .exit(0), works(folder, check) else {
            print("pip said: \(made?.errors.suffix(300) ?? "nothing")")
            return nil
        }
        return "\(folder)/bin"
    }

    private static func works(_ folder: String, _ check: String) -> Bool {
        let python = "\(folder)/bin/python"
        guard access(python, X_OK) == 0, let place = try? Workplace() else { return false }
        let tried = try? Child.run([python, "-c", check], in: place, seconds: 60)
        return tried?.ending == .exit(0)
    }
}
