// swift-tools-version: 6.2
import PackageDescription

/// Settings that every target shares: a strict dialect, with warnings as errors.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .treatAllWarnings(as: .error),
]

/// The pure targets decide about money and parse hostile bytes: no unsafe construct unmarked.
let pure: [SwiftSetting] = strict + [.strictMemorySafety()]

/// Whether the programs reach store servers. What that needs takes as long to compile as all else, so
/// `make demo` leaves it out. It is no trait: traits are compilation conditions of every target of a
/// package, and all of them would be compiled once more when the tests follow.
let reachesStores = Context.environment["PAYQUEUED_WITHOUT_STORES"] == nil

/// The settings of the programs that can do without.
let program: [SwiftSetting] = strict + (reachesStores ? [.define("StoreClient")] : [])

/// The dependencies of programs that reach store servers.
func reaching(_ dependencies: [Target.Dependency]) -> [Target.Dependency] {
    reachesStores ? dependencies : []
}

let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let deques = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heaps = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let lifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle")
let arguments = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let httpClient = Target.Dependency.product(
    name: "AsyncHTTPClient", package: "async-http-client")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(
    name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")

/// The packages that only our dependencies use, with a product of each. They are named to fix their
/// versions. The package manager warns of packages that no target uses; a target that uses a product on a
/// platform which we do not build for keeps it silent, and compiles nothing.
let indirect: [(package: String, version: Version, product: String)] = [
    ("swift-algorithms", "1.2.1", "Algorithms"),
    ("swift-asn1", "1.7.4", "SwiftASN1"),
    ("swift-async-algorithms", "1.1.4", "AsyncAlgorithms"),
    ("swift-atomics", "1.3.0", "Atomics"),
    ("swift-certificates", "1.21.1", "X509"),
    ("swift-collections", "1.6.0", "Collections"),
    ("swift-configuration", "1.4.0", "Configuration"),
    ("swift-http-structured-headers", "1.7.0", "StructuredFieldValues"),
    ("swift-nio-extras", "1.35.2", "NIOExtras"),
    ("swift-nio-http2", "1.46.0", "NIOHTTP2"),
    ("swift-nio-transport-services", "1.28.0", "NIOTransportServices"),
    ("swift-numerics", "1.1.1", "Numerics"),
    ("swift-service-context", "1.5.1", "ServiceContextModule"),
]
let indirectProducts = indirect.map { indirect in
    Target.Dependency.product(
        name: indirect.product, package: indirect.package, condition: .when(platforms: [.wasi]))
}

/// The parts of the page's script, each a file.
let pageScripts = ["basics", "overview", "list", "story", "sandbox", "page"]

let package = Package(
    name: "payqueued",
    products: [
        .executable(name: "payqueued", targets: ["payqueued"]),
        .executable(name: "payqueuectl", targets: ["payqueuectl"]),
        .executable(name: "payqueue-store", targets: ["payqueue-store"]),
        .library(name: "PaymentClient", targets: ["PaymentClient"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
    ]
        + indirect.map {
            // The default traits of swift-configuration bring full Foundation along.
            .package(
                url: "https://github.com/apple/\($0.package)", exact: $0.version,
                traits: $0.package == "swift-configuration" ? [] : [.defaults])
        },
    targets: [
        // Pure: values and bytes, no input or output.
        .target(name: "PaymentCore", swiftSettings: pure),
        .target(name: "SandboxControl", dependencies: ["PaymentCore"], swiftSettings: pure),
        .target(name: "StrictJSON", swiftSettings: pure),
        .target(name: "JSONRPC", dependencies: ["StrictJSON"], swiftSettings: pure),
        .target(name: "OpenMetrics", swiftSettings: pure),

        // Parts.
        .target(name: "CCRC32C", dependencies: indirectProducts),
        .target(
            name: "PaymentAPI",
            dependencies: ["PaymentCore", "SandboxControl", "StrictJSON", "JSONRPC"],
            swiftSettings: strict),
        .target(
            name: "PaymentEngine",
            dependencies: ["PaymentCore", logging, metrics, deques, heaps],
            swiftSettings: strict),
        .target(
            name: "PaymentStorage",
            dependencies: ["PaymentCore", "StrictJSON", "CCRC32C", systemPackage, crypto],
            swiftSettings: strict),
        .target(
            name: "PaymentHistory",
            dependencies: ["PaymentCore", "StrictJSON", crypto, cryptoExtras],
            swiftSettings: strict),
        .target(
            name: "PaymentSandbox",
            dependencies: ["PaymentCore", "SandboxControl", "StrictJSON", "PaymentHistory"],
            swiftSettings: pure),
        .target(
            name: "StoreMessages", dependencies: ["PaymentCore", "StrictJSON"],
            swiftSettings: pure),
        .target(
            name: "StoreClient",
            dependencies: [
                "PaymentCore", "StrictJSON", "PaymentHistory", "StoreMessages", httpClient,
                nioCore, nioHTTP1, nioSSL,
            ],
            swiftSettings: strict),
        .target(
            name: "EtcdJournal",
            dependencies: [
                "PaymentCore", "PaymentStorage", "StrictJSON", httpClient, nioCore, nioHTTP1,
                nioSSL,
            ],
            swiftSettings: strict),
        .target(
            name: "SandboxStorage",
            dependencies: [
                "PaymentCore", "StrictJSON", "PaymentHistory", "PaymentSandbox", "PaymentStorage",
                nioCore,
            ],
            swiftSettings: strict),
        .target(
            name: "Listening", dependencies: [nioCore, nioHTTP1, logging], swiftSettings: strict),
        .systemLibrary(name: "CSystemd"),

        // Faces.
        .target(
            name: "PaymentServer",
            dependencies: [
                "PaymentCore", "SandboxControl", "PaymentAPI", "StrictJSON", "JSONRPC",
                "OpenMetrics", "PaymentEngine", "Listening", nioCore, nioPosix, nioHTTP1,
                lifecycle, logging, metrics,
            ],
            swiftSettings: strict),
        .target(
            name: "PeerLink",
            dependencies: [nioCore, nioPosix, nioSSL, nioTLS, logging],
            swiftSettings: strict),
        .target(name: "Systemd", dependencies: ["CSystemd"], swiftSettings: strict),
        .target(
            name: "Observability", dependencies: ["Systemd", "OpenMetrics", logging, coreMetrics],
            swiftSettings: strict),
        .target(
            name: "Telemetry",
            dependencies: ["StrictJSON", nioCore, nioPosix, nioHTTP1, tracing],
            swiftSettings: strict),
        .target(
            name: "PaymentClient",
            dependencies: [
                "PaymentCore", "PaymentAPI", "StrictJSON", "JSONRPC", nioCore, nioPosix,
            ],
            swiftSettings: strict),

        // Executables.
        .executableTarget(
            name: "payqueued",
            dependencies: [
                "PaymentCore", "SandboxControl", "PaymentAPI", "StrictJSON", "JSONRPC",
                "PaymentEngine", "PaymentStorage", "PaymentHistory", "PaymentSandbox",
                "SandboxStorage", "StoreMessages", "PaymentServer", "Systemd", "Observability",
                "Telemetry", tracing,
                arguments, lifecycle, logging, coreMetrics, systemPackage, nioCore, nioPosix,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ] + reaching(["StoreClient", "EtcdJournal", "PeerLink"]),
            swiftSettings: program),
        .executableTarget(
            name: "payqueuectl",
            dependencies: [
                "PaymentClient", "PaymentAPI", "PaymentCore", "PaymentStorage", "PaymentHistory",
                "SandboxStorage", "StrictJSON", arguments, nioCore, nioHTTP1, nioPosix,
            ] + reaching([httpClient]),
            resources: [.embedInCode("Page/page.html"), .embedInCode("Page/page.css")]
                + pageScripts.map { .embedInCode("Page/\($0).js") },
            swiftSettings: program),
        .executableTarget(
            name: "payqueue-store",
            dependencies: [
                "PaymentCore", "SandboxControl", "PaymentAPI", "StrictJSON", "PaymentStorage",
                "PaymentHistory", "PaymentSandbox", "SandboxStorage", "StoreMessages", "Systemd",
                "Observability", "OpenMetrics", "Listening", arguments, lifecycle, logging,
                crypto, nioCore, nioPosix, nioSSL, httpTypes, hummingbird, hummingbirdCore,
                hummingbirdTLS, .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("openapi.json")], swiftSettings: strict),

        // Examples of the client library, run by the tests.
        .executableTarget(
            name: "payment-examples", dependencies: ["PaymentClient", "StrictJSON"],
            path: "clients/swift/PaymentExamples", swiftSettings: strict),

        // Tests.
        .target(
            name: "PaymentTesting",
            dependencies: [
                "PaymentCore", "SandboxControl", "PaymentEngine", "PaymentStorage",
                "PaymentHistory", "PaymentSandbox", "SandboxStorage", "StoreMessages",
            ],
            path: "Tests/PaymentTesting", swiftSettings: strict),
        .target(
            name: "StoreTesting",
            dependencies: [
                "PaymentSandbox", "PaymentCore", "PaymentStorage", "PaymentTesting", "StoreClient",
                "StoreMessages", "payqueue-store", logging, lifecycle, nioCore, nioPosix,
                hummingbird,
            ],
            path: "Tests/StoreTesting"),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "PaymentCore", "StrictJSON", "JSONRPC", "PaymentAPI", "PaymentStorage",
                "PaymentHistory", "PaymentSandbox", "StoreMessages", "payqueued", arguments,
                crypto,
            ],
            path: "Tests/FuzzTargets", swiftSettings: strict),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "StrictJSON"]),
        .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON", "FuzzTargets"]),
        .testTarget(name: "PaymentCoreTests", dependencies: ["PaymentCore", "PaymentTesting"]),
        .testTarget(name: "JSONRPCTests", dependencies: ["JSONRPC", "StrictJSON"]),
        .testTarget(
            name: "PaymentAPITests",
            dependencies: [
                "PaymentAPI", "PaymentCore", "SandboxControl", "StrictJSON", "JSONRPC",
                "PaymentTesting",
            ]),
        .testTarget(
            name: "PaymentStorageTests",
            dependencies: ["PaymentStorage", "PaymentCore", "StrictJSON", "PaymentTesting"],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "PaymentHistoryTests",
            dependencies: ["PaymentHistory", "PaymentCore", "StrictJSON", crypto]),
        .testTarget(
            name: "PaymentSandboxTests",
            dependencies: [
                "PaymentSandbox", "SandboxControl", "PaymentHistory", "PaymentCore",
                "StoreMessages", "StrictJSON", "PaymentTesting",
            ],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "StoreClientTests",
            dependencies: [
                "StoreClient", "StoreMessages", "PaymentCore", "PaymentHistory", "SandboxControl",
                "PaymentSandbox", "StrictJSON", "PaymentTesting", "StoreTesting",
                "payqueue-store", nioCore, nioPosix, httpClient,
            ]),
        .testTarget(
            name: "PayqueueStoreTests",
            dependencies: [
                "payqueue-store", "PaymentCore", "PaymentHistory", "PaymentSandbox",
                "PaymentStorage", "SandboxControl", "StoreMessages", "PaymentTesting",
                "StoreTesting", nioCore, nioPosix, httpClient,
            ]),
        .testTarget(
            name: "PaymentEngineTests",
            dependencies: ["PaymentEngine", "PaymentCore", "PaymentTesting"]),
        .testTarget(
            name: "PaymentServerTests",
            dependencies: [
                "PaymentServer", "PaymentEngine", "PaymentCore", "PaymentAPI", "StrictJSON",
                "JSONRPC", "PaymentStorage", "PaymentHistory", "PaymentSandbox", "SandboxControl",
                "PaymentTesting", "StoreClient", "StoreMessages", "StoreTesting", "payqueued",
                "payqueue-store", nioCore, nioPosix,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            // The optimizer of Swift 6.3.1 crashes on the asynchronous tests of this target.
            swiftSettings: [.unsafeFlags(["-Onone"], .when(configuration: .release))]),
        .testTarget(
            name: "EtcdJournalTests",
            dependencies: [
                "EtcdJournal", "PaymentCore", "PaymentStorage", "PaymentTesting", "StrictJSON",
                nioCore, nioPosix,
            ]),
        .testTarget(
            name: "SystemdTests",
            dependencies: ["Systemd", "Observability", "OpenMetrics", logging, coreMetrics]),
        .testTarget(
            name: "ListeningTests",
            dependencies: [
                "Listening", nioCore, nioHTTP1, logging,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),
        .testTarget(
            name: "TelemetryTests",
            dependencies: ["Telemetry", "StrictJSON", tracing, nioCore, nioPosix, nioHTTP1]),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "PaymentCore", "PaymentEngine", "PaymentStorage", "PaymentSandbox",
                "SandboxControl", "PaymentHistory", "PaymentTesting",
            ]),
        .testTarget(
            name: "PayqueuectlTests",
            dependencies: ["payqueuectl", "PaymentAPI", "PaymentClient", "StrictJSON"],
            exclude: ["Recorded"]),
        .testTarget(name: "PaymentClientTests", dependencies: ["PaymentClient", "StrictJSON"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "payqueued", "payqueuectl", "payqueue-store", "payment-examples", "PaymentTesting",
            ],
            exclude: ["Lab", "Pages", "Recorded", "Reference", "StoreAPI"]),
        .testTarget(name: "TidyTests", dependencies: ["PaymentTesting"]),
    ],
    swiftLanguageModes: [.v6]
)

/// The build of `make fuzz`, which names the archive with the driver of libFuzzer. Every module counts the edges
/// of its code that run, and `Tests/Fuzz` is a program.
if let driver = Context.environment["PAYQUEUED_FUZZER"] {
    package.products = []
    // Only tests can be linked with a program, so that here it is a library; its `main` gets another name.
    let entry = ["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "payqueued_main"]
    package.targets = package.targets.map { target in
        guard target.name == "payqueued" else { return target }
        return .target(
            name: target.name, dependencies: target.dependencies,
            swiftSettings: program + [.unsafeFlags(["-parse-as-library"] + entry)])
    }
    package.targets.append(
        .executableTarget(
            name: "fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz",
            exclude: ["Corpus", "fuzz.py", "readers.py"], swiftSettings: strict,
            linkerSettings: [
                .unsafeFlags([driver]), .linkedLibrary("stdc++"), .linkedLibrary("m"),
            ]))
    for target in package.targets where target.type != .system {
        target.swiftSettings =
            (target.swiftSettings ?? [])
            + [.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"])]
    }
}
