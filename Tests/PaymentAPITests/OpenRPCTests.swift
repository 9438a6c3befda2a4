import Foundation
import PaymentAPI
import PaymentCore
import StrictJSON
import Testing

/// Holds `rpc.discover` against the public meta-schema, where that and a validator are at hand.
@Suite struct OpenRPCTests {
    @Test(
        .enabled(
            if: MetaSchema.folder != nil && MetaSchema.hasValidator,
            "skipped: OpenRPC 1.4 meta-schema or the Python package jsonschema is not here"))
    func `rpc.discover is a valid OpenRPC 1.4 document`() throws {
        let folder = try #require(MetaSchema.folder)
        let document = FileManager.default.temporaryDirectory
            .appendingPathComponent("openrpc-\(ProcessInfo.processInfo.processIdentifier).json")
        defer { try? FileManager.default.removeItem(at: document) }
        try Data(Discover.document(limits: Limits()).jsonText().utf8).write(to: document)
        let output = try MetaSchema.run(
            MetaSchema.script, [folder.path, document.path])
        #expect(output == "valid\n")
    }

    @Test(
        .enabled(
            if: MetaSchema.folder != nil && MetaSchema.hasValidator,
            "skipped: OpenRPC 1.4 meta-schema or the Python package jsonschema is not here"))
    func `the validator would notice a document that is not valid`() throws {
        let folder = try #require(MetaSchema.folder)
        let document = FileManager.default.temporaryDirectory
            .appendingPathComponent("broken-\(ProcessInfo.processInfo.processIdentifier).json")
        defer { try? FileManager.default.removeItem(at: document) }
        let broken =
            #"{"openrpc":"1.4.0","info":{"title":"a","version":"1"},"methods":[{"name":"x"}]}"#
        try Data(broken.utf8).write(to: document)
        let output = try MetaSchema.run(MetaSchema.script, [folder.path, document.path])
        #expect(output != "valid\n")
    }
}

/// The public schemas, read from test data beside the checkout.
private enum MetaSchema {
    static let folder: URL? = {
        var candidates: [URL] = []
        if let path = ProcessInfo.processInfo.environment["PAYQUEUED_TEST_DATA"] {
            candidates.append(URL(fileURLWithPath: path, isDirectory: true))
        }
        for start in [
            URL(fileURLWithPath: #filePath).resolvingSymlinksInPath(),
            URL(fileURLWithPath: #filePath),
        ] {
            var place = start
            while place.path != "/" {
                place.deleteLastPathComponent()
                candidates.append(place.appendingPathComponent("shared/data", isDirectory: true))
            }
        }
        return candidates.map { $0.appendingPathComponent("openrpc", isDirectory: true) }
            .first { FileManager.default.fileExists(atPath: $0.path + "/openrpc-1.4.schema.json") }
    }()

    static let hasValidator: Bool = (try? run("import jsonschema; print('here')", [])) == "here\n"

    /// The second schema is registered under its address, so that nothing is fetched.
    static let script = """
        import json, sys
        from jsonschema import Draft7Validator
        from referencing import Registry, Resource
        from referencing.jsonschema import DRAFT7
        folder, path = sys.argv[1:3]
        schema = json.load(open(folder + "/openrpc-1.4.schema.json"))
        other = json.load(open(folder + "/json-schema-tools.meta-schema.json"))
        resource = Resource.from_contents(other, default_specification=DRAFT7)
        names = [other["$id"], other["$id"].rstrip("/"), "https://meta.json-schema.tools"]
        registry = Registry().with_resources([(name, resource) for name in names])
        for part in schema, other:
            part.pop("$schema", None)
        validator = Draft7Validator(schema, registry=registry)
        errors = list(validator.iter_errors(json.load(open(path))))
        for error in errors[:5]:
            print(list(error.absolute_path), error.message[:300])
        print("valid" if not errors else "not valid")
        """

    static func run(_ script: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self)
    }
}
