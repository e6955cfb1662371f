# A tool in your backend, with Python's standard library alone: takes orders, once for each call, and leaves large ones to later.sh.
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

secret = os.environ["SECRET"]
key = base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()
done = {}  # What was done, by call: in your database a unique column, written in the transaction that does it.


def is_from_parley(headers, body):
    call, sent, given = (headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not sent.isdecimal() or abs(time.time() - int(sent)) >= 300:
        return False
    wanted = base64.b64encode(hmac.digest(key, f"{call}.{sent}.".encode() + body, hashlib.sha256)).decode()
    return any(hmac.compare_digest(one.encode(), f"v1,{wanted}".encode()) for one in given.split(" "))


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if not is_from_parley(self.headers, body):
            return self.answer(401)
        call = json.loads(body)
        if call["arguments"]["count"] > 10:
            print("later", call["callback_url"], flush=True)
            return self.answer(202)
        order = {"order": len(done) + 1, "customer": call["subject"], **call["arguments"]}
        self.answer(200, done.setdefault(call["call_id"], {"result": order}))

    def answer(self, status, value=None):
        body = json.dumps(value).encode() if value else b""
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver)
print("ready", server.server_port, flush=True)
server.serve_forever()
