// swift-tools-version: 6.2
import PackageDescription

/// A package of its own: nothing here is needed to build or to test the daemon, and nothing of the
/// daemon is needed to build this. It knows the binary, the socket and the contract.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "payqueued-benchmarks",
    products: [
        .executable(name: "bench", targets: ["bench"]),
        .library(
            name: "AllocationCounter", type: .dynamic, targets: ["CAllocationCounter"]),
    ],
    targets: [
        .target(name: "CBenchSupport"),
        .target(name: "CAllocationCounter"),
        .target(name: "BenchKit", dependencies: ["CBenchSupport"], swiftSettings: strict),
        .executableTarget(name: "bench", dependencies: ["BenchKit"], swiftSettings: strict),
        .testTarget(name: "BenchKitTests", dependencies: ["BenchKit", "CBenchSupport"]),
    ],
    swiftLanguageModes: [.v6]
)
