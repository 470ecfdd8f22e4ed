/**
 * Measures a newcomer's path: from `npm install` of the packed package, in an empty folder with a
 * fresh home, to a handler (docs/first-handler.md) that scores 100 in the handler check.
 *
 * `node scripts/time-install.mjs [--fresh-cache]`: the latter downloads every package again.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { fileOf } from '../test/support/doc-pages.ts'

const run = promisify(execFile)
const URL_REGISTERED = 'https://hooks.example.com/webhooks'
const SECRET = 'my-first-secret'
const folder = mkdtempSync(join(tmpdir(), 'countersign-install-'))
const home = join(folder, 'home')
const project = join(folder, 'project')
const cache = process.argv.includes('--fresh-cache')
  ? join(folder, 'cache')
  : (await run('npm', ['config', 'get', 'cache'])).stdout.trim()
for (const path of [home, project]) mkdirSync(path)
const env = {
  ...process.env,
  HOME: home,
  npm_config_cache: cache,
  WEBHOOK_SECRET: SECRET,
  WEBHOOK_URL: URL_REGISTERED,
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

let child
try {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder])
  const [{ filename }] = JSON.parse(stdout)
  const begin = performance.now()
  const step = (what) =>
    console.log(`${((performance.now() - begin) / 1000).toFixed(1)} s  ${what}`)
  await run('npm', ['install', '--no-audit', '--no-fund', join(folder, filename)], {
    cwd: project,
    env,
  })
  step('installed')
  const port = await freePort()
  const handler = fileOf('docs/first-handler.md', 'handler.mjs').replaceAll('3000', String(port))
  writeFileSync(join(project, 'handler.mjs'), handler)
  child = spawn('node', ['handler.mjs'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(createInterface(child.stdout), 'line')
  step('handler is listening')
  const check = ['countersign', 'check', `http://127.0.0.1:${port}/webhooks`]
  const given = ['--secret', SECRET, '--registered-url', URL_REGISTERED]
  const checked = await run('npx', [...check, ...given], { cwd: project, env })
  step(checked.stdout.trim().split('\n').at(-1))
} finally {
  child?.kill()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
