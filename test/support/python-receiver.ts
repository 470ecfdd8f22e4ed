/**
 * A receiver that shares no code with this project: it verifies as section 5.2 says, with Python's own HMAC, and accepts timestamps
 * within five minutes. It returns 200 or 401 with a description of the request: `METHOD size-of-body`.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const SOURCE = `
import base64, hashlib, hmac, sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer
url, secret = sys.argv[1].encode(), sys.argv[2].encode()
def once(text): return base64.b64encode(hmac.new(secret, text, hashlib.sha256).digest())
class Handler(BaseHTTPRequestHandler):
    def take(self):
        body = self.rfile.read(int(self.headers.get('content-length', '0')))
        stamp = self.headers.get('x-service-timestamp', '')
        right = once(once(body + url + stamp.encode())).decode()
        fresh = stamp.isdigit() and abs(time.time() * 1000 - int(stamp)) < 300000
        said = f'{self.command} {len(body)}'.encode()
        self.send_response(200 if fresh and hmac.compare_digest(right, self.headers.get('x-service-signature', '')) else 401)
        self.send_header('content-length', str(len(said)))
        self.end_headers()
        self.wfile.write(said)
    do_POST = do_PUT = do_PATCH = take
    def log_message(self, *args): pass
server = HTTPServer(('127.0.0.1', 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
`

export const hasPython = spawnSync('python3', ['--version']).status === 0

export interface PythonReceiver {
  readonly url: string
  stop(): void
}

/** Starts a receiver for a registered URL and a secret. The program is written to `folder`. */
export async function startPythonReceiver(
  folder: string,
  registeredUrl: string,
  secret: string,
): Promise<PythonReceiver> {
  const script = join(folder, 'receiver.py')
  writeFileSync(script, SOURCE)
  const child = spawn('python3', [script, registeredUrl, secret], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { url: `http://127.0.0.1:${port}/`, stop: () => void child.kill() }
}
