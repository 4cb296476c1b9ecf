#!/usr/bin/env python3
"""Receives the webhooks of Countersign: WEBHOOK_SECRET=whsec_… webhook_receiver.py PORT. It needs Python 3 alone."""
import base64, hashlib, hmac, http.server, json, os, sys, time

SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
OLDEST = 300  # seconds: an older delivery may be a replay of somebody who recorded it
seen = set()  # keep the ids where you keep what you made of the events


def signed(headers, body):
    """Checks the signature, which is over id, time and body. During a rotation there are two; one has to fit."""
    name, moment = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not moment.isdigit() or abs(time.time() - int(moment)) > OLDEST:
        return False
    right = base64.b64encode(hmac.new(SECRET, f"{name}.{moment}.".encode() + body, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest("v1," + right, one) for one in headers.get("webhook-signature", "").split())


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not signed(self.headers, body):
            self.send_error(401)
            return
        event, name = json.loads(body), self.headers["webhook-id"]
        if name not in seen:  # an event may come more than once
            seen.add(name)
            print(event["type"], event["data"].get("transaction", {}).get("internalId", ""), flush=True)
        self.send_response(204)  # only when the event is stored: anything else is sent again
        self.end_headers()

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
