# A tool in your backend, with Python's standard library alone: takes orders, once for each call, and leaves large ones to later.sh.
import base64, hmac, json, os, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

secret = os.environ["SECRET"]
key = base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()
done, lock = {}, threading.Lock()  # What was done, by call: in your database a unique column, written in the same transaction.


def is_from_parley(headers, body):
    call, sent, given = (headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    wanted = b"v1," + base64.b64encode(hmac.digest(key, f"{call}.{sent}.".encode() + body, "sha256"))
    is_signed = any(hmac.compare_digest(one.encode(), wanted) for one in given.split(" "))
    return is_signed and abs(time.time() - int(sent)) < 300


class Receiver(BaseHTTPRequestHandler):
    timeout = 30  # Seconds that anybody may keep a thread waiting.

    def do_POST(self):
        length = int(self.headers.get("content-length", -1))
        if not 0 <= length <= 1_000_000:
            return self.answer(413)
        body = self.rfile.read(length)
        if not is_from_parley(self.headers, body):
            return self.answer(401)
        call = json.loads(body)
        if call["arguments"]["count"] > 10:
            print("later", call["callback_url"], flush=True)
            return self.answer(202)
        with lock:
            order = {"order": len(done) + 1, "customer": call["subject"], **call["arguments"]}
            result = done.setdefault(call["call_id"], {"result": order})
        self.answer(200, result)

    def answer(self, status, value=None):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver)
print("ready", server.server_port, flush=True)
server.serve_forever()
