/** The code of docs/frameworks.md, in each framework that is installed here. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { sign } from '../../src/library/signature.ts'
import { snippetLanguages } from '../../src/shared/snippets/languages.ts'
import { snippetOf } from '../../src/shared/snippets/snippet.ts'
import { fileOf } from '../support/doc-pages.ts'
import { linkPackage } from '../support/installed-package.ts'
import { hasPython } from '../support/python.ts'
import { closeAtEnd, temporaryFolder } from '../support/temporary-folder.ts'
import { exitOf, linesOf } from './cli-fixture.ts'

const modules = resolve(import.meta.dirname, '../../node_modules')
const SECRET = 'my-first-secret'
const REGISTERED_URL = 'https://hooks.example.com/webhooks'
const MINUTE_MS = 60_000

interface Framework {
  readonly file: string
  /** Packages that it needs; Python's modules for a Python file. */
  readonly needs: readonly string[]
  /** A program with the page's code as `<code>`, which prints the port it listens on. */
  readonly program: string
}

const frameworks: Readonly<Record<string, Framework>> = {
  Express: {
    file: 'express.mjs',
    needs: ['express'],
    program: `<code>
app.use(express.json())
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port))`,
  },
  Fastify: {
    file: 'fastify.mjs',
    needs: ['fastify'],
    program: `<code>
await app.listen({ port: 0, host: '127.0.0.1' })
console.log(app.server.address().port)`,
  },
  // A route is a function of a web request: it needs no framework to run.
  Next: {
    file: 'route.mjs',
    needs: [],
    program: `import { createServer } from 'node:http'
<code>
const server = createServer(async (incoming, response) => {
  const { method, headers } = incoming
  const body = Buffer.concat(await Array.fromAsync(incoming))
  const { status } = await POST(new Request('http://127.0.0.1/webhooks', { method, headers, body }))
  response.writeHead(status).end()
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))`,
  },
  Django: {
    file: 'django.py',
    needs: ['django'],
    program: `import django
from wsgiref.simple_server import make_server
from django.conf import settings
from django.urls import path
settings.configure(
    ALLOWED_HOSTS=["*"],
    MIDDLEWARE=["django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="test",
)
django.setup()
<code>
urlpatterns = [path("webhooks", webhooks)]
from django.core.wsgi import get_wsgi_application
server = make_server("127.0.0.1", 0, get_wsgi_application())
print(server.server_port, flush=True)
server.serve_forever()`,
  },
  Flask: {
    file: 'flask.py',
    needs: ['flask', 'werkzeug'],
    program: `from werkzeug.serving import make_server
<code>
server = make_server("127.0.0.1", 0, app)
print(server.server_port, flush=True)
server.serve_forever()`,
  },
  FastAPI: {
    file: 'fastapi.py',
    needs: ['fastapi', 'uvicorn'],
    program: `import socket, uvicorn
<code>
listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listening])`,
  },
}

let folder: string

beforeAll(async () => {
  folder = temporaryFolder()
  await linkPackage(folder)
  for (const name of ['express', 'fastify'])
    if (existsSync(join(modules, name)))
      symlinkSync(join(modules, name), join(folder, 'node_modules', name), 'junction')
  for (const name of ['accept.mjs', 'accept.py']) put(name, fileOf('docs/frameworks.md', name))
  const python = snippetLanguages.find(({ id }) => id === 'python')
  if (python === undefined) throw new Error('No snippet in Python')
  const vector = { bodyBase64: '', url: REGISTERED_URL, timestamp: '0', signature: '' }
  put('verify.py', snippetOf(python, vector))
})

const put = (name: string, text: string) => writeFileSync(join(folder, name), text)

const isPython = ({ file }: Framework) => file.endsWith('.py')

const isInstalled = (framework: Framework) =>
  framework.needs.every((name) =>
    isPython(framework) ? hasPython(name) : existsSync(join(modules, name)),
  )

/** Starts the framework with the page's code. Returns the URL of its route. */
async function start(framework: Framework): Promise<string> {
  const { file, program } = framework
  // A program with the name of the framework would import itself.
  const name = `app-${file}`
  put(
    name,
    program.replace('<code>', () => fileOf('docs/frameworks.md', file)),
  )
  const child = spawn(isPython(framework) ? 'python3' : process.execPath, [name], {
    cwd: folder,
    env: { PATH: process.env['PATH'], WEBHOOK_SECRET: SECRET, WEBHOOK_URL: REGISTERED_URL },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  closeAtEnd(async () => {
    child.kill()
    await exitOf(child)
  })
  const { lines, until } = linesOf(child)
  await Promise.race([until(1), once(child, 'close')])
  expect(lines, errors).toHaveLength(1)
  return `http://127.0.0.1:${lines[0]}/webhooks`
}

interface Sent {
  readonly signed?: string
  readonly body?: string
  readonly ageMs?: number
  readonly contentType?: string
}

const PAYLOAD = String.raw`{ "amount": 10.00, "brand": { "name": "\u0041 Café" } }`

async function post(
  url: string,
  { signed = PAYLOAD, body = signed, ageMs = 0, contentType = 'application/json' }: Sent,
): Promise<number> {
  const timestamp = Date.now() - ageMs
  const { headers } = sign({ secret: SECRET, url: REGISTERED_URL, body: signed, timestamp })
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': contentType },
    body,
  })
  return response.status
}

test.for(Object.entries(frameworks))(
  '%s: the code of docs/frameworks.md accepts deliveries of the service and rejects others',
  async ([name, framework], { skip }) => {
    skip(!isInstalled(framework), `${name} is not installed here`)
    const url = await start(framework)
    const large = JSON.stringify({ text: 'x'.repeat(1_200_000) })
    expect(await post(url, {})).toBe(200)
    expect(await post(url, { signed: large })).toBe(200)
    expect(await post(url, { contentType: 'text/plain' })).toBe(200)
    expect(await post(url, { body: PAYLOAD.replace('10.00', '10.01') })).toBe(401)
    expect(await post(url, { body: JSON.stringify(JSON.parse(PAYLOAD)) })).toBe(401)
    expect(await post(url, { ageMs: 6 * MINUTE_MS })).toBe(401)
    expect(await post(url, { ageMs: -6 * MINUTE_MS })).toBe(401)
    expect((await fetch(url, { method: 'POST' })).status).toBe(401)
  },
)
