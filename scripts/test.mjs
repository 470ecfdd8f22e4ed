/**
 * `npm test`: builds, finds or installs a Chromium, runs the tests in Node (vitest) and then the end-to-end tests in each host
 * (Playwright), and closes with one line, `N passed, N failed, N skipped`. Ends with 1 where anything failed or nothing ran.
 *
 *   npm test -- --unit [ARGUMENTS OF VITEST]        only what runs in Node
 *   npm test -- --e2e [ARGUMENTS OF PLAYWRIGHT]     only end-to-end, in every host
 *   npm test -- --host standin [ARGUMENTS …]        only end-to-end, in that host: loopback, standin or electron
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildIfStale } from './build.mjs'
import { ensureChromium, ensureHeadlessShell } from './lib/chromium.ts'
import { findElectron, noDesktopReason } from './lib/electron-binary.ts'
import {
  addCounts,
  countsLine,
  failureLines,
  noCounts,
  playwrightFailures,
  readPlaywright,
  readVitest,
  vitestFailures,
} from './lib/results.ts'

const hosts = ['loopback', 'standin', 'electron']
const folder = 'test-results'

function usage(message) {
  console.error(`${message}\nUse: npm test [-- --unit | --e2e | --host ${hosts.join('|')}] [arguments of the runner]`)
  process.exit(2)
}

function readArguments() {
  const { values, tokens } = parseArgs({
    args: process.argv.slice(2),
    options: { unit: { type: 'boolean' }, e2e: { type: 'boolean' }, host: { type: 'string' } },
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const own = tokens.filter((token) => token.kind === 'option' && ['unit', 'e2e', 'host'].includes(token.name))
  // Everything after the last of our own is the runner's, untouched.
  const last = own.at(-1)
  const rest = process.argv
    .slice(2)
    .slice(last === undefined ? 0 : last.index + (last.name === 'host' && !last.inlineValue ? 2 : 1))
  const { unit = false, e2e = false, host } = values
  if (host !== undefined && !hosts.includes(host)) usage(`There is no host "${host}".`)
  if (unit && (e2e || host !== undefined)) usage('--unit and end-to-end tests exclude each other.')
  if (rest.length > 0 && own.length === 0) usage('Say --unit or --e2e first: the two runners take different arguments.')
  return { inNode: !e2e && host === undefined, inHosts: unit ? [] : host === undefined ? hosts : [host], rest }
}

/** Runs a program of node_modules with the Node that runs this; its output goes straight to the terminal. */
function run(script, args, env = {}) {
  const full = [join('node_modules', script), ...args]
  return spawnSync(process.execPath, full, { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } }).status
}

function runVitest(rest) {
  const file = `${folder}/vitest.json`
  rmSync(file, { force: true })
  const status = run('vitest/vitest.mjs', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...rest])
  return { counts: readVitest(file, status), failures: vitestFailures(file) }
}

function runPlaywright(host, rest, chromium) {
  const file = `${folder}/playwright-${host}.json`
  rmSync(file, { force: true })
  const env = { COUNTERSIGN_E2E_HOST: host, CHROMIUM: chromium, PLAYWRIGHT_JSON_OUTPUT_FILE: file }
  const status = run('@playwright/test/cli.js', ['test', '--reporter=list,json', ...rest], env)
  return { counts: readPlaywright(file, status), failures: playwrightFailures(file) }
}

function whyNoElectron() {
  if (findElectron() === null) return 'its binary is not on this machine (npx install-electron fetches it)'
  return noDesktopReason()
}

const { inNode, inHosts, rest } = readArguments()
mkdirSync(folder, { recursive: true })

try {
  await buildIfStale()
} catch (error) {
  console.error(error.message)
  console.log(countsLine({ ...noCounts, failed: 1 }))
  process.exit(1)
}

// The tests in Node need it too: what a hostile page can do is shown in a real browser.
const shell = ensureHeadlessShell()
const chromium = await ensureChromium()
let total = noCounts
const lines = []
const failed = []

function count(name, { counts, failures }) {
  total = addCounts(total, counts)
  failed.push(...failures.map((failure) => failureLines({ ...failure, file: `${name}: ${failure.file}` })))
  lines.push(`${name}: ${countsLine(counts)}`)
}

if (inNode) count('in Node', runVitest(rest))
for (const host of inHosts) {
  const reason = host === 'electron' ? whyNoElectron() : null
  if (reason !== null) {
    lines.push(`end-to-end, electron: skipped, ${reason}`)
    // Asked for by name, it has to run.
    if (inHosts.length === 1) total = addCounts(total, { ...noCounts, failed: 1 })
    continue
  }
  if (chromium === null) {
    lines.push(`end-to-end, ${host}: there is no Chromium and none could be installed; name one with CHROMIUM=/path`)
    total = addCounts(total, { ...noCounts, failed: 1 })
    continue
  }
  console.log(`\nEnd-to-end, host: ${host}`)
  count(`end-to-end, ${host}`, runPlaywright(host, rest, (host === 'loopback' ? shell : null) ?? chromium))
}

if (failed.length > 0) console.log(`\nFailed:\n\n${failed.join('\n\n')}`)
console.log(`\n${lines.join('\n')}\n${countsLine(total)}`)
if (total.passed + total.failed === 0) console.error('No test ran.')
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1)
