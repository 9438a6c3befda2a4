import PaymentCore
import PaymentStorage
import PaymentTesting

/// One life of a shop in which a call to the disk fails, and the start behind it.
struct NthFailure: CustomStringConvertible {
    /// What a call meets instead of its effect.
    enum Effect: Hashable {
        case error(Int32)
        case shortWrite
    }

    /// A life that begins on a disk with a promise.
    struct Scene {
        var disk: DiskImage
        var ledger: ShopLedger
        var life: ShopScript.Life
    }

    /// What a failure did.
    struct Result {
        /// The error that ended the life; nil if it went on to its end.
        var fatal: (any Error)?
        /// Other errors that were reported.
        var others: [any Error] = []
        /// What is wrong; nil if nothing is.
        var fault: String?
    }

    let scene: Int
    let call: MemoryDiskFault.Call
    let number: Int
    let effect: Effect
    let isLasting: Bool

    var description: String {
        "life \(scene), \(call) \(number)\(isLasting ? " and later ones" : ""): \(effect)"
    }

    /// A disk reports it only after a call was interrupted a thousand times.
    private static let eintr: Int32 = 4
    private static let eio: Int32 = 5
    private static let enomem: Int32 = 12
    private static let enfile: Int32 = 23
    private static let emfile: Int32 = 24
    private static let efbig: Int32 = 27
    private static let enospc: Int32 = 28
    private static let erofs: Int32 = 30
    private static let edquot: Int32 = 122

    /// The errors that a call can meet.
    static func effects(of call: MemoryDiskFault.Call) -> [Effect] {
        let errors: [Int32] =
            switch call {
            case .open: [eio, emfile, enfile, enomem, enospc, edquot, erofs]
            case .read: [eio, enomem]
            case .write: [eio, eintr, efbig, enospc, edquot, erofs]
            case .syncData, .sync, .syncDirectory: [eio, eintr, enospc, edquot, erofs]
            case .truncate: [eio, eintr, efbig, erofs]
            case .allocate: [eio, eintr, efbig, enospc, edquot, erofs]
            case .rename, .link, .remove: [eio, enospc, edquot, erofs]
            case .list, .examine: [eio, enomem]
            case .lock: [eio]
            }
        return errors.map { .error($0) } + (call == .write ? [.shortWrite] : [])
    }

    /// Whether the process must go on as if nothing had happened.
    private var mustGoOn: Bool { call == .write && effect == .shortWrite }

    /// Runs the life, and then a start on what a kill and on what a power cut leave.
    ///
    /// - Parameters:
    ///   - scene: The life.
    ///   - spoil: Has the disk do something else about the fault, to prove that it is found.
    /// - Returns: What happened.
    func run(_ scene: Scene, spoil: MemoryDiskFault.Effect? = nil) -> Result {
        let world = MemoryDiskWorld(scene.disk)
        let harm: MemoryDiskFault.Effect =
            switch effect {
            case .error(let errno): .fail(errno: errno)
            case .shortWrite: .short(bytes: 3)
            }
        world.inject(
            MemoryDiskFault(call, number: number, isLasting: isLasting, spoil ?? harm))
        var ledger = scene.ledger
        var result = Result()
        live(scene.life, on: world, &ledger, &result)
        result.fault = result.fault ?? namingFault(result)
        // A seed that depends on the failure alone decides what a power cut leaves.
        var dice = SeededGenerator(seed: UInt64(number) << 8 | UInt64(call.rawValue))
        let survival = number % 2 == 0 ? 0 : 50
        let disks = [
            ("a kill", world.afterKill()),
            ("a power cut", world.afterPowerCut { dice.chance(survival) }),
        ]
        for (name, disk) in disks where result.fault == nil {
            result.fault = Self.fault(on: disk, ledger).map { "after \(name): \($0)" }
        }
        return result
    }

    private func live(
        _ life: ShopScript.Life, on world: MemoryDiskWorld, _ ledger: inout ShopLedger,
        _ result: inout Result
    ) {
        var shop: Shop
        do { shop = try Shop(on: world) } catch { return result.fatal = error }
        var last: Shop.Step?
        do {
            try shop.begin(&ledger)
            for step in life.steps {
                last = step
                try shop.run(step, &ledger)
            }
        } catch {
            result.fatal = error
            if last != .close, shop.writesAfterFailure() {
                result.fault = "the log takes records after \(error)"
            }
        }
        result.others = shop.failures
    }

    /// What is wrong with the words about the failure; nil if nothing is.
    private func namingFault(_ result: Result) -> String? {
        guard case .error(let errno) = effect else {
            return result.fatal.map { "a short write ends the process: \($0)" }
        }
        let reason = DiskFailure(.read, "", errno: errno).reason
        let errors = [result.fatal].compactMap(\.self) + result.others
        for error in errors where !"\(error)".contains(reason) {
            return "an error does not say '\(reason)': \(error)"
        }
        return nil
    }

    /// What is wrong with a start behind a failure that has passed; nil if nothing is.
    static func fault(on world: MemoryDiskWorld, _ ledger: ShopLedger) -> String? {
        do {
            var ledger = ledger
            var shop = try Shop(on: world)
            if let fault = ledger.fault(in: shop) { return fault }
            ledger.continueFrom(shop.queue.head, after: 0)
            try shop.begin(&ledger)
            try shop.run(.add(1), &ledger)
            return nil
        } catch {
            return "the start fails: \(error)"
        }
    }
}

extension ShopScript {
    /// The lives with the disks that they begin on.
    func scenes() throws -> [NthFailure.Scene] {
        var world = MemoryDiskWorld()
        var ledger = ShopLedger()
        var scenes: [NthFailure.Scene] = []
        for life in lives {
            scenes.append(NthFailure.Scene(disk: world.image, ledger: ledger, life: life))
            do {
                var shop = try Shop(on: world)
                try shop.begin(&ledger)
                for step in life.steps { try shop.run(step, &ledger) }
                if let failure = shop.failures.first { throw failure }
            }
            world = world.afterKill()
        }
        return scenes
    }
}
