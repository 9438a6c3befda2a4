import Foundation
import PaymentTesting
import Testing

/// The client libraries as packages: types, metadata, and what is in them.
@Suite("Client packages", .ownThreads)
struct ClientPackageTests {
    @Test("mypy finds nothing in the Python library")
    func types() throws {
        guard let programs = PythonTools.programs else {
            return Skip.because("mypy cannot be installed from PyPI here")
        }
        try ClientProgram.run(.python) { program in
            let found = try program.run([
                "\(programs)/mypy", "--strict", "--cache-dir", program.daemon.place("mypy"),
                "payqueued",
                "tests",
            ])
            #expect(found.ending == .exit(0), "\(found.output)")
            let examples = try program.run([
                "sh", "-c",
                "cd examples && MYPYPATH=.. \"$1\" --strict --cache-dir \"$0\" *.py",
                program.daemon.place("mypy"), "\(programs)/mypy",
            ])
            #expect(examples.ending == .exit(0), "\(examples.output)")
        }
    }

    @Test("The Python package passes its registry's checks and works where it is installed")
    func wheel() throws {
        let place = try Workplace()
        let build = """
            set -eu
            cp -r "$LIBRARY" source && cd source
            "$TOOLS/python" -W error -m build --no-isolation --outdir ../dist . >../build.log 2>&1 ||
                { cat ../build.log >&2; exit 1; }
            cd ..
            "$TOOLS/twine" check --strict dist/* >&2
            python3 -m venv venv
            venv/bin/pip install --quiet --disable-pip-version-check --no-index dist/*.whl
            cd /
            "$PLACE/venv/bin/python" -W error -c 'import payqueued, importlib.metadata as metadata
            about = metadata.metadata("payqueued")
            assert payqueued.__version__ == about["Version"]
            assert about["License-Expression"] == "Apache-2.0"
            assert about["Description-Content-Type"] == "text/markdown"
            assert len(about.get_payload()) > 1000
            assert len(about.get_all("Project-URL")) >= 3
            files = [str(file) for file in metadata.files("payqueued")]
            assert "payqueued/py.typed" in files
            assert any(file.endswith("/LICENSE") for file in files)
            print(payqueued.AsyncClient.__name__)'
            """
        guard let programs = PythonTools.programs else {
            return Skip.because("build and twine cannot be installed from PyPI here")
        }
        let built = try Child.run(
            ["sh", "-c", "cd '\(place.path)' && " + build], in: place,
            environment: [
                "LIBRARY": ClientLanguage.python.folder, "HOME": place.path,
                "TOOLS": programs, "PLACE": place.path, "PYTHONPATH": "",
            ], seconds: 300)
        #expect(built.ending == .exit(0), "\(built.output) \(built.errors)")
        #expect(built.output.hasSuffix("AsyncClient\n"))
    }

    @Test(
        "tsc finds nothing in the types of the Node library, for programs that import or require it"
    )
    func declarations() throws {
        guard Built.has("tsc") else { return Skip.because("node-typescript is not installed") }
        let place = try Workplace()
        let tests = ClientLanguage.node.folder + "/tests"
        let checked = try Child.run(
            [
                "tsc", "--strict", "--noEmit", "--target", "es2022", "--module", "node16",
                "--moduleResolution", "node16", "\(tests)/types.ts", "\(tests)/types.cts",
            ], in: place, seconds: 120)
        #expect(checked.ending == .exit(0), "\(checked.output)")
    }

    @Test("gofmt finds nothing in the Go library")
    func gofmt() throws {
        guard Built.has("gofmt") else { return Skip.because("gofmt is not installed") }
        let place = try Workplace()
        let found = try Child.run(["gofmt", "-l", ClientLanguage.go.folder], in: place)
        #expect(found.ending == .exit(0), "\(found.errors)")
        #expect(found.output.isEmpty, "\(found.output)")
    }

    @Test(
        "Each package has the licence of the product", arguments: ["python", "node", "go", "rust"])
    func licence(client: String) {
        let own = text(of: Built.root.appending(path: "clients/\(client)/LICENSE").path)
        #expect(own == text(of: Built.root.appending(path: "LICENSE").path))
        #expect(!own.isEmpty)
    }
}
