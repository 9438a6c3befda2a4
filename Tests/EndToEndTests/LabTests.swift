import Foundation
import PaymentTesting
import Testing

/// The package on a machine with a real systemd: what `lab.py` beside this file checks.
@Suite("Under a real systemd", .ownThreads)
struct LabTests {
    /// Ended by the script where a machine cannot be booted.
    private static let cannot = Child.Ending.exit(77)

    @Test("Installed under a real systemd, all that people do with the service works")
    func lab() throws {
        guard Built.has("python3") else { return Skip.because("python3 is not installed") }
        let place = try Workplace()
        let programs = URL(filePath: Built.daemon).deletingLastPathComponent().path
        let script = Built.root.appending(path: "Tests/EndToEndTests/Lab/lab.py").path
        let (ending, output, errors) = try Child.run(
            ["python3", script, "--bins", programs], in: place, seconds: 600)
        let lines = output.split(separator: "\n")
        for line in lines where line.hasPrefix("skip ") { Skip.because(String(line)) }
        guard ending != Self.cannot else { return }
        for line in lines where line.hasPrefix("FAIL ") { Issue.record("\(line)") }
        #expect(ending == .exit(0), "\(errors)")
        #expect(lines.count { $0.hasPrefix("ok ") } >= 60, "\(output)")
    }

    @Test("An image that no engine has made is what its layout says, and sells")
    func image() throws {
        guard Built.has("python3") else { return Skip.because("python3 is not installed") }
        let place = try Workplace()
        let programs = URL(filePath: Built.daemon).deletingLastPathComponent().path
        let (built, file, problem) = try Child.run(
            [Built.root.appending(path: "systemd/image/build").path], in: place,
            environment: [
                "bins": programs, "output": place.path, "SOURCE_DATE_EPOCH": "0",
                "compression": "1", "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "",
            ], seconds: 300)
        #expect(built == .exit(0), "\(problem)")
        let script = Built.root.appending(path: "Tests/EndToEndTests/Lab/bare.py").path
        let (ending, output, errors) = try Child.run(
            [
                "python3", script, "--lower", "/", "--debug", "--image",
                file.trimmingCharacters(in: .newlines),
            ], in: place, seconds: 300)
        let lines = output.split(separator: "\n")
        for line in lines where line.hasPrefix("skip ") { Skip.because(String(line)) }
        guard ending != Self.cannot else { return }
        for line in lines where line.hasPrefix("FAIL ") { Issue.record("\(line)") }
        #expect(ending == .exit(0), "\(errors)")
        #expect(lines.count { $0.hasPrefix("ok ") } >= 7, "\(output)")
    }

    @Test("The package that was built last has no finding of lintian that is an error")
    func lintian() throws {
        let built = try FileManager.default.contentsOfDirectory(
            at: Built.root.appending(path: ".build"), includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "deb" }
        guard !built.isEmpty else { return Skip.because("`make deb` has not built one here") }
        guard Built.has("lintian") else { return Skip.because("lintian is not installed") }
        let (ending, output, _) = try Child.run(
            ["lintian", "--fail-on", "error"] + built.map(\.path), in: try Workplace(),
            seconds: 300)
        #expect(ending == .exit(0), "\(output)")
    }
}
