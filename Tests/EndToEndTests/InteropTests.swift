import Foundation
import PaymentTesting
import Testing

/// Two JSON-RPC clients that know nothing of this project.
@Suite("Third-party clients", .serialized, .ownThreads)
struct InteropTests {
    @Test(
        "20 calls, each class of error, a batch of 100 and 1,000 events work unchanged",
        arguments: ["web3_ipc", "aiorpcx_session"])
    func client(program: String) throws {
        guard let programs = PythonTools.programs else {
            return Skip.because(
                "web3 and aiorpcX cannot be installed from PyPI here", "third-party \(program)")
        }
        try Daemon.run { daemon in
            let folder = Built.root.appending(path: "clients/interop").path
            let ran = try Child.run(
                ["\(programs)/python", "\(folder)/\(program).py"], in: daemon.place,
                environment: [
                    "PAYQUEUED_SOCKET": daemon.socket, "PYTHONDONTWRITEBYTECODE": "1",
                ], seconds: 300)
            #expect(ran.ending == .exit(0), "\(ran.output) \(ran.errors)")
            for line in ["calls 20", "batch 100", "events 1000", "done"] {
                #expect(ran.output.contains(line), "\(ran.output)")
            }
        }
    }
}
