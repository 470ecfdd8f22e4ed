/**
 * `node scripts/path-of.mjs [--files]`: counts the files of `src/core` and `src/shared` that run
 * for one delivery, from socket to row, and for one replay, from the command to the handler's first
 * byte; and that replay's calls of other threads.
 *
 * Reads V8's coverage of every thread of `serve`, including what runs in an idle second. Needs a
 * system with SIGUSR2.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'vite'
import { connectToInstance } from '../src/core/control/connect.ts'
import { secretKey, signDelivery } from '../src/core/signature/sign.ts'
import { ALLOCATOR_VARIABLES } from '../src/cli/memory-tuning.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const SECRET = 'whsec_of_path_of'
const REGISTERED_URL = 'https://laptop.example.com/hooks'
const SETTLED_MS = 500

/** Builds the command line with comments that name each file. Returns its entry. */
async function buildNamed() {
  const outDir = join(root, 'out', 'path-of')
  await build({
    configFile: join(root, 'vite.node.config.ts'),
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: true,
      rolldownOptions: { output: { minify: false } },
    },
  })
  return join(outDir, 'cli.js')
}

/** Returns at which character of a bundle each source file begins, last first. */
async function filesIn(bundle) {
  const code = await readFile(bundle, 'utf8')
  return [...code.matchAll(/^\/\/ (src\/\S+\.ts)$/gm)]
    .map(({ index, 1: file }) => ({ index, file }))
    .reverse()
}

class Recorded {
  #folder
  #child
  #bundles = new Map()

  constructor(folder, child) {
    this.#folder = folder
    this.#child = child
  }

  async #reports() {
    return (await readdir(this.#folder)).filter((name) => name.startsWith('coverage-'))
  }

  async take() {
    this.#child.kill('SIGUSR2')
    await delay(SETTLED_MS)
    const files = new Set()
    for (const name of await this.#reports()) {
      const { result } = JSON.parse(await readFile(join(this.#folder, name), 'utf8'))
      await rm(join(this.#folder, name))
      for (const { url, functions } of result) {
        if (!url.startsWith(pathToFileURL(join(root, 'out')).href)) continue
        const bundle = fileURLToPath(url)
        const sources = this.#bundles.get(bundle) ?? (await filesIn(bundle))
        this.#bundles.set(bundle, sources)
        for (const { ranges } of functions) {
          const [{ startOffset, count }] = ranges
          const file = sources.find(({ index }) => index <= startOffset)?.file
          if (count > 0 && startOffset > 0 && file !== undefined) files.add(file)
        }
      }
    }
    return [...files]
      .filter((file) => /^src\/(core|shared)\//.test(file))
      .toSorted((a, b) => a.localeCompare(b))
  }
}

function tell(what, count, goal) {
  console.log(`${what}: ${count} (goal: at most ${goal})`)
}

function tellFiles(what, files, goal) {
  tell(what, `${files.length} files`, goal)
  if (process.argv.includes('--files')) for (const file of files) console.log(`  ${file}`)
}

/** Sends a delivery of this number, signed as the service does, and waits for its row. */
async function deliver(receiver, number) {
  const body = JSON.stringify({ id: `0d5f5f5c-2f0a-4c2e-9f5e-${String(number).padStart(12, '0')}` })
  const timestamp = String(Date.now())
  const key = secretKey(SECRET)
  const { signature } = signDelivery({
    body: Buffer.from(body),
    url: REGISTERED_URL,
    timestamp,
    key,
  })
  const response = await fetch(new URL('/hooks', receiver), {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-service-signature': signature,
      'x-service-timestamp': timestamp,
    },
  })
  if (response.status !== 200) throw new Error(`The receiver returned ${response.status}.`)
}

const folder = await mkdtemp(join(tmpdir(), 'countersign-path-of-'))
const data = join(folder, 'data')
const callsFile = join(folder, 'calls')
await mkdir(data)
await writeFile(callsFile, '')
const cli = await buildNamed()
const ports = ['--receiver-port', '0', '--ui-port', '0', '--sandbox-port', '0']
const child = spawn(
  process.execPath,
  [
    '--import',
    pathToFileURL(join(root, 'scripts', 'lib', 'path-recorder.mjs')).href,
    cli,
    'serve',
    '--json',
    '--receiver-http-port',
    '0',
    ...ports,
    '--data',
    data,
  ],
  {
    // With these it doesn't restart.
    env: {
      ...process.env,
      ...ALLOCATOR_VARIABLES,
      NODE_V8_COVERAGE: folder,
      PATH_OF_CALLS: callsFile,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
let isReplayed = () => undefined
const handler = createServer((_request, response) => isReplayed(response))
try {
  await once(child.stdout, 'data')
  await once(handler.listen(0, '127.0.0.1'), 'listening')
  const { client, close } = await connectToInstance(data)
  const { receiver } = await client.call('app.status', {})
  await client.call('hooks.import', {
    event: 'transaction.auth',
    url: REGISTERED_URL,
    secret: SECRET,
  })
  const recorded = new Recorded(folder, child)
  const to = `http://127.0.0.1:${handler.address().port}/`
  /** Replays a delivery, and calls `atHandler` when its first byte arrives. */
  const replay = async (atHandler) => {
    const { id } = await client.call('deliveries.get', { id: 'latest' })
    await recorded.take()
    await writeFile(callsFile, '')
    const arrival = new Promise((resolve) => {
      isReplayed = async (response) => {
        const seen = await atHandler()
        response.end()
        resolve(seen)
      }
    })
    await client.call('replay.start', { ids: [id], to })
    return arrival
  }
  // The first delivery and replay also load modules that the next ones need.
  await deliver(receiver.httpUrl, 1)
  await replay(async () => undefined)
  await delay(SETTLED_MS)
  await recorded.take()
  await deliver(receiver.httpUrl, 2)
  tellFiles('A delivery, from socket to row', await recorded.take(), 40)
  const seen = await replay(async () => {
    const calls = (await readFile(callsFile, 'utf8')).length
    return { calls, files: await recorded.take() }
  })
  tellFiles('A replay, from the command to the first byte', seen.files, 35)
  tell('Calls of its other threads', seen.calls, 2)
  close()
} finally {
  handler.close()
  child.kill()
  await once(child, 'exit')
  await rm(folder, { recursive: true })
}
