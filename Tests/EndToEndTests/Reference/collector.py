"""A collector of traces: takes OTLP over HTTP and holds each request to the protocol's own schema.

The port goes to one file, each span that came as a line of JSON to another. A request that the schema
refuses is answered with 400 and written as a line `{"refused": why}`. Other statuses than 200 can be
asked for by a list of them on the command line, used up one a request.
"""

import base64
import http.server
import json
import os
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

port_file, span_file = sys.argv[1:3]
statuses = [int(word) for word in sys.argv[3:]]


def in_base64(value, name=""):
    """The JSON of OTLP has identifiers in hexadecimal digits, that of protocol buffers in base64."""
    if isinstance(value, dict):
        return {key: in_base64(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [in_base64(inner) for inner in value]
    if name in ("traceId", "spanId", "parentSpanId"):
        raw = bytes.fromhex(value)
        if len(raw) != (16 if name == "traceId" else 8) or not any(raw):
            raise ValueError(f"{name} is {value}")
        return base64.b64encode(raw).decode()
    return value


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        status = statuses.pop(0) if statuses else 200
        with open(span_file, "a") as file:
            try:
                if status == 200:
                    for line in self.spans(body):
                        print(json.dumps(line), file=file)
            except Exception as problem:
                status = 400
                print(json.dumps({"refused": f"{type(problem).__name__}: {problem}"}), file=file)
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def spans(self, body):
        if self.path != "/v1/traces" or self.headers["content-type"] != "application/json":
            raise ValueError(f"{self.path} {self.headers['content-type']}")
        message = json.loads(body)
        # Fields that the schema does not have are an error here.
        json_format.Parse(json.dumps(in_base64(message)), ExportTraceServiceRequest())
        for resource in message["resourceSpans"]:
            names = {a["key"]: a["value"]["stringValue"] for a in resource["resource"]["attributes"]}
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    yield {"service": names["service.name"], **span}

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Collector)
with open(port_file + ".new", "w") as file:
    file.write(str(server.server_address[1]))
os.rename(port_file + ".new", port_file)
server.serve_forever()
