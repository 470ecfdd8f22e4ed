/**
 * `npm run tls-in-electron`: runs the tests of TLS in Electron's own Node, whose BoringSSL differs
 * from OpenSSL. Runs nothing without Electron's binary, which is a failure in CI.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildIfStale } from './build.mjs'
import { findElectron } from './lib/electron-binary.ts'

const tests = [
  'src/core/receiver',
  'src/core/outgoing/wire',
  'test/integration/certificate-check.test.ts',
  'test/integration/receiving.test.ts',
  'test/integration/trailers.test.ts',
  'test/promises/03-what-arrived.test.ts',
  'test/promises/13-malformed-shown.test.ts',
]

const missing = tests.filter((path) => !existsSync(path))
if (missing.length > 0) {
  console.error(`Tests not found: ${missing.join(', ')}.`)
  process.exit(1)
}
const binary = findElectron()
if (binary === null) {
  console.error("Electron's binary not found, so no test ran. npx install-electron downloads it.")
  process.exit(process.env.CI ? 1 : 0)
}
// The binary of node_modules has no fuses, so it runs as Node, also in child processes.
const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' }
const { stdout } = spawnSync(binary, ['--print', 'JSON.stringify(process.versions)'], {
  env,
  encoding: 'utf8',
})
const { electron, node, openssl } = JSON.parse(stdout || '{}')
if (electron === undefined) {
  console.error(`${binary} doesn't run as Electron's Node, so no test ran.`)
  process.exit(1)
}
console.log(`Electron ${electron}, Node ${node}, TLS library ${openssl}`)
await buildIfStale({ targets: ['node'] })
const vitest = join('node_modules', 'vitest', 'vitest.mjs')
process.exit(
  spawnSync(binary, [vitest, 'run', ...tests], { env, stdio: ['ignore', 'inherit', 'inherit'] })
    .status ?? 1,
)
