import Foundation

/// Python packages that only tests need, in an environment of their own that outlives the run.
enum PythonTools {
    /// The folder of the programs; nil where the packages cannot be installed.
    static let programs: String? = {
        let folder = Built.root.appending(path: ".build/python-tools").path
        guard !works(folder) else { return "\(folder)/bin" }
        let lists = ["clients/interop/requirements.txt", "clients/python/requirements-dev.txt"]
            .map { "-r '\(Built.root.appending(path: $0).path)'" }.joined(separator: " ")
        let install =
            "python3 -m venv '\(folder)' && '\(folder)/bin/pip' install --quiet "
            + "--disable-pip-version-check --retries 1 --timeout 15 \(lists)"
        guard Built.has("python3"), let place = try? Workplace() else { return nil }
        let made = try? Child.run(["sh", "-c", install], in: place, seconds: 300)
        guard made?.ending == .exit(0), works(folder) else {
            print("pip said: \(made?.errors.suffix(300) ?? "nothing")")
            return nil
        }
        return "\(folder)/bin"
    }()

    private static func works(_ folder: String) -> Bool {
        let python = "\(folder)/bin/python"
        guard access(python, X_OK) == 0, let place = try? Workplace() else { return false }
        let tried = try? Child.run(
            [python, "-c", "import setuptools, wheel, mypy, web3, aiorpcx"], in: place, seconds: 60)
        return tried?.ending == .exit(0)
    }
}
