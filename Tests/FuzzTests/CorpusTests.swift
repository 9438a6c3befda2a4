import FuzzTargets
import Testing

/// The inputs that reach the most code, and those that once failed. `make fuzz` draws others.
@Suite("Kept inputs of the fuzzers")
struct CorpusTests {
    @Test("Every kept input keeps the rule of its target", arguments: FuzzTarget.all.map(\.name))
    func kept(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        for (file, input) in try CorpusFiles.inputs(of: name) {
            do throws(Violation) {
                try target.run(input)
            } catch {
                Issue.record("\(name)/\(file): \(error)")
            }
        }
    }

    @Test("Every target has inputs, not too many and none too long")
    func bounded() throws {
        #expect(try CorpusFiles.targets() == FuzzTarget.all.map(\.name).sorted())
        for target in FuzzTarget.all {
            let inputs = try CorpusFiles.inputs(of: target.name)
            #expect((5...100).contains(inputs.count), "\(target.name): \(inputs.count)")
            #expect(inputs.reduce(0) { $0 + $1.bytes.count } < 80_000, "\(target.name)")
            for (name, bytes) in inputs {
                #expect(bytes.count <= target.limitBytes, "\(target.name)/\(name)")
            }
        }
    }
}
