import json, os, urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

class Token(BaseHTTPRequestHandler):
    def do_POST(self):
        subject = "user-42"  # from your own sign-in, never from the request's body
        headers = {"authorization": "Bearer " + os.environ["PARLEY_KEY"], "content-type": "application/json"}
        body = json.dumps({"subject": subject, "scopes": ["chat", "files"]}).encode()
        made = urllib.request.urlopen(urllib.request.Request("http://127.0.0.1:8020/api/auth/tokens", body, headers))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.load(made)["token"].encode())

HTTPServer(("127.0.0.1", int(os.environ.get("PORT", 3000))), Token).serve_forever()
