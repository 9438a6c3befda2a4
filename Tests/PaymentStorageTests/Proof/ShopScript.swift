import PaymentTesting

/// The lives of a state directory, as a seed says: everything that a daemon does with its disk.
struct ShopScript {
    /// The end of a life.
    enum End: Hashable {
        /// A clean stop, the last step.
        case stop
        /// The process dies; the disk has all that it wrote.
        case kill
        /// The power fails.
        case powerCut
    }

    /// A start and the work behind it.
    struct Life {
        var steps: [Shop.Step]
        var end: End
    }

    private(set) var lives: [Life] = []

    /// Draws lives, each of a few steps.
    init(seed: UInt64, lives count: Int = 5, steps: Int = 12) {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<count {
            var life = Life(steps: [.add(2)], end: .kill)
            for _ in 0..<steps { life.steps.append(Self.step(&dice)) }
            switch dice.below(3) {
            case 0:
                life.end = .stop
                life.steps.append(.close)
            case 1: life.end = .powerCut
            default: break
            }
            lives.append(life)
        }
    }

    /// Lives in which each kind of work happens, some of it twice.
    static let everything: ShopScript = {
        var script = ShopScript(seed: 0, lives: 0)
        let close: [Shop.Step] = [.advance(4), .advance(4), .advance(4), .advance(4)]
        script.lives = [
            Life(steps: [.add(4)] + close + [.idle, .checkpoint, .add(2), .read], end: .kill),
            Life(steps: [.add(1), .withdraw] + close + [.checkpoint, .close], end: .stop),
            Life(steps: [.add(3), .forget, .checkpoint, .backup, .add(1)], end: .kill),
            Life(steps: [.add(2), .advance(2), .idle, .checkpoint, .advance(4)], end: .kill),
            Life(
                steps: close + [.checkpoint, .add(1), .idle, .forget, .checkpoint, .read, .close],
                end: .stop),
        ]
        return script
    }()

    private static func step(_ dice: inout SeededGenerator) -> Shop.Step {
        switch dice.below(100) {
        case ..<25: .add(1 + dice.below(3))
        case ..<70: .advance(1 + dice.below(4))
        case ..<74: .withdraw
        case ..<82: .idle
        case ..<92: .checkpoint
        case ..<95: .forget
        case ..<97: .backup
        default: .read
        }
    }
}
