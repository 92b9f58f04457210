"""Opens a file in efm-langserver and prints what it publishes, one `line:column severity rule` a line."""

import json
import pathlib
import subprocess
import sys

config, path = sys.argv[1], pathlib.Path(sys.argv[2])
server = subprocess.Popen(["efm-langserver", "-c", config], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.stdin.flush()


def receive():
    length = 0
    while (line := server.stdout.readline().strip()):
        name, value = line.split(b":")
        if name == b"Content-Length":
            length = int(value)
    return json.loads(server.stdout.read(length))


root = path.parent.parent.as_uri()
send({"id": 1, "method": "initialize", "params": {"rootUri": root, "capabilities": {}}})
while receive().get("id") != 1:
    pass
text = path.read_text()
document = {"uri": path.as_uri(), "languageId": "lua", "version": 1, "text": text}
send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
while (message := receive()).get("method") != "textDocument/publishDiagnostics":
    pass
for one in message["params"]["diagnostics"]:
    start = one["range"]["start"]
    severity = ["error", "warning", "info"][one["severity"] - 1]
    rule = one["message"].split("[")[1].split("]")[0]
    print(f"{start['line'] + 1}:{start['character'] + 1} {severity} {rule}")
server.kill()
