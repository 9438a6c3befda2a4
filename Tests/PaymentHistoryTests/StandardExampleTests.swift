import Crypto
import Foundation
import PaymentCore
import StrictJSON
import Testing

@testable import PaymentHistory

/// The examples that the standards print, so that others read what we write.
@Suite struct StandardExampleTests {
    @Test func `the thumbprint of RFC 7638 section 3-1 is the printed one`() {
        let key = StoreKey(
            id: "2011-04-29", algorithm: "RS256",
            material: .rsa(modulus: Printed.thumbprintModulus, exponent: "AQAB"))
        #expect(key.thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    }

    @Test func `the signature of RFC 7515 appendix A-2 is valid, any change of it is not`() throws {
        let key = try VerifyingKey(
            StoreKey(
                id: "a2", algorithm: "RS256",
                material: .rsa(modulus: Printed.rsaModulus, exponent: "AQAB")))
        let parts = try CompactJWS(
            "eyJhbGciOiJSUzI1NiJ9.\(Printed.payload).\(Printed.rsaSignature)".utf8, limit: 4096)
        #expect(parts.header == ["alg": "RS256"])
        #expect(key.isValid(parts.signature, for: parts.signedBytes))
        var signature = parts.signature
        signature[17] ^= 1
        #expect(!key.isValid(signature, for: parts.signedBytes))
        #expect(!key.isValid(parts.signature, for: parts.signedBytes + [0]))
    }

    @Test func `the signature of RFC 7515 appendix A-3 is valid, any change of it is not`() throws {
        let key = try VerifyingKey(
            StoreKey(
                id: "a3", algorithm: "ES256",
                material: .p256(
                    x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                    y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")))
        let parts = try CompactJWS(
            "eyJhbGciOiJFUzI1NiJ9.\(Printed.payload).\(Printed.p256Signature)".utf8, limit: 4096)
        #expect(key.isValid(parts.signature, for: parts.signedBytes))
        var signature = parts.signature
        signature[63] ^= 1
        #expect(!key.isValid(signature, for: parts.signedBytes))
        #expect(!key.isValid(parts.signature.dropLast(), for: parts.signedBytes))
    }

    @Test func `the token of RFC 7519 section 3-1 is read and its signature is right`() throws {
        let parts = try CompactJWS(Printed.token.utf8, limit: 4096)
        #expect(parts.header["typ"] == "JWT" && parts.header["alg"] == "HS256")
        let claims = try JSONValue(parsing: parts.payload)
        #expect(claims["iss"] == "joe" && claims["exp"] == 1_300_819_380)
        let secret = try #require(Base64URL.decode(Printed.secret.utf8))
        #expect(
            HMAC<SHA256>.isValidAuthenticationCode(
                parts.signature, authenticating: parts.signedBytes,
                using: SymmetricKey(data: secret)))
    }

    @Test func `the unsecured token of RFC 7519 section 6-1 is refused for its empty signature`() {
        let token = "eyJhbGciOiJub25lIn0.\(Printed.payload)."
        #expect(throws: JWSFault.emptyPart) { try CompactJWS(token.utf8, limit: 4096) }
    }
}

private enum Printed {
    static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0"
        + "cnVlfQ"
    static let token =
        "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9." + payload
        + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let secret =
        "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
    static let p256Signature =
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    static let thumbprintModulus =
        "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_B"
        + "JECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_"
        + "FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhA"
        + "I4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"
    static let rsaModulus =
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt"
        + "0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHS"
        + "XndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_"
        + "I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
    static let rsaSignature =
        "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W"
        + "2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvk"
        + "SjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phC"
        + "nvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
}
