import FuzzTargets
import Glibc

/// Draws inputs for one target by the coverage of the product's code, with libFuzzer; `fuzz.py` runs it.
///
/// The environment names the target, because libFuzzer starts itself again to merge inputs. Without a name
/// the targets are listed, each with the longest input that is drawn.
@main
struct Fuzz {
    private static let variable = "PAYQUEUED_FUZZ_TARGET"
    private static let target = getenv(variable).flatMap {
        FuzzTarget.named(String(cString: $0))
    }

    /// An input that takes longer each time is one that can stall the daemon.
    private static let limitNanoseconds: UInt64 = 100_000_000
    private static let tries = 3

    static func main() {
        guard target != nil else {
            for target in FuzzTarget.all { print(target.name, target.limitBytes) }
            return
        }
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
            CommandLine.unsafeArgv
        exit(
            runFuzzer(&count, &arguments) { start, count in
                Fuzz.run(Array(UnsafeBufferPointer(start: start, count: count)))
                return 0
            })
    }

    private static func run(_ input: [UInt8]) {
        guard let target else { return }
        for _ in 0..<tries {
            let start = nanoseconds()
            do throws(Violation) {
                try target.run(input)
            } catch {
                fatalError("\(target.name): \(error)")
            }
            if nanoseconds() - start <= limitNanoseconds { return }
        }
        fatalError("\(target.name): an input takes more than 100 ms")
    }

    private static func nanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// The driver of libFuzzer, which calls back with each input.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
