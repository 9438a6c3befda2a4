import Testing

@testable import Telemetry

@Suite struct TraceContextTests {
    static let trace = "0af7651916cd43dd8448eb211c80319c"
    static let span = "b7ad6b7169203331"

    @Test(
        arguments: [
            ("00-\(trace)-\(span)-01", true), ("00-\(trace)-\(span)-00", false),
            ("00-\(trace)-\(span)-03", true), ("01-\(trace)-\(span)-01", true),
            ("cc-\(trace)-\(span)-01-what-comes-later", true),
        ])
    func `a traceparent names trace, span and whether it is recorded`(
        text: String, isSampled: Bool
    ) throws {
        let context = try #require(TraceContext(traceparent: text))
        #expect(context.traceID == Self.trace)
        #expect(TraceContext.text(context.spanID) == Self.span)
        #expect(context.isSampled == isSampled)
        #expect(context.traceparent == "00-\(Self.trace)-\(Self.span)-\(isSampled ? "01" : "00")")
    }

    @Test(
        arguments: [
            "", "00", "00-\(trace)-\(span)", "ff-\(trace)-\(span)-01",
            "00-\(trace)-\(span)-01-more", "0-\(trace)-\(span)-01", "00-\(trace)0-\(span)-01",
            "00-\(trace)-\(span)0-01", "00-\(trace)-\(span)-1",
            "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
            "00-\(trace.uppercased())-\(span)-01", "00-\(trace.dropLast())g-\(span)-01",
            "not a trace",
        ])
    func `anything else names nothing`(text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }

    @Test func `identifiers of nothing but zeros are never made`() {
        let context = TraceContext(traceHigh: 0, traceLow: 0, spanID: 0)
        #expect(TraceContext(traceparent: context.traceparent) == context)
    }

    @Test(
        arguments: [
            ("http://localhost:4318", "localhost", 4318, "/v1/traces"),
            ("http://localhost:4318/", "localhost", 4318, "/v1/traces"),
            ("http://collector", "collector", 80, "/v1/traces"),
            ("http://[::1]:4318/otel", "::1", 4318, "/otel/v1/traces"),
            ("http://a:65535/b/c//", "a", 65535, "/b/c/v1/traces"),
        ])
    func `the path of the traces is added to an endpoint`(
        text: String, host: String, port: Int, path: String
    ) throws {
        let endpoint = try #require(OTLPEndpoint(text))
        #expect(endpoint.host == host)
        #expect(endpoint.port == port)
        #expect(endpoint.path == path)
    }

    @Test(
        arguments: [
            "", "localhost:4318", "https://localhost:4318", "http://", "http://:4318", "http://a:0",
            "http://a:65536", "http://a:+1", "http://a:b", "http://u@a", "http://a?b", "http://a#b",
            "http://[::1", "http://[::1]x", "http://a b",
        ])
    func `no other address is an endpoint`(text: String) {
        #expect(OTLPEndpoint(text) == nil)
    }
}
