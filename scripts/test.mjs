/**
 * `npm test`: builds, finds or installs a Chromium, and runs the first ring: tests in Node, and
 * one journey through the window (Playwright). `npm run test:all` then runs the rest. The last
 * line is `N passed, N failed, N skipped`. Exits with 1 if a test failed or none ran.
 *
 *   npm run test:all -- --rest                   only the rest
 *   npm test -- --changed                        only tests that the changes of this branch reach
 *   npm test -- --unit [ARGUMENTS OF VITEST]     only what runs in Node, both rings
 *   npm test -- --e2e [ARGUMENTS OF PLAYWRIGHT]  only end-to-end, both rings, in every host
 *   npm test -- --host standin [ARGUMENTS …]     only end-to-end in loopback, standin or electron
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildIfStale } from './build.mjs'
import { changedFiles, testsOf } from './lib/changed.ts'
import { ensureChromium, ensureHeadlessShell } from './lib/chromium.ts'
import { findElectron, noDesktopReason } from './lib/electron-binary.ts'
import {
  addCounts,
  countsLine,
  failureLines,
  filesToRepeat,
  noCounts,
  playwrightFailures,
  playwrightTimes,
  readPlaywright,
  readVitest,
  slowestLines,
  vitestFailures,
  vitestTimes,
} from './lib/results.ts'

const hosts = ['loopback', 'standin', 'electron']
const folder = 'test-results'

const inNode = (args, report = 'vitest') => ({ host: null, args: ['run', ...args], report })
const inHost = (host, args, report = `playwright-${host}`) => ({ host, args, report })
const inHosts = (args) => hosts.map((host) => inHost(host, args))

const firstRing = [
  inNode(['--project=first*'], 'vitest-first'),
  inHost('loopback', ['--project=first'], 'playwright-first'),
]
const rest = [inNode(['--project=rest*'], 'vitest-rest'), ...inHosts(['--project=rest'])]

function usage(message) {
  console.error(
    `${message}\nUse: npm test [-- --changed | --unit | --e2e | --host ${hosts.join('|')}] [runner arguments]\n     npm run test:all [-- --rest]`,
  )
  process.exit(2)
}

function readArguments() {
  const options = {
    all: { type: 'boolean' },
    rest: { type: 'boolean' },
    changed: { type: 'boolean' },
    unit: { type: 'boolean' },
    e2e: { type: 'boolean' },
    host: { type: 'string' },
  }
  const given = process.argv.slice(2)
  const { values, tokens } = parseArgs({
    args: given,
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const own = tokens.filter(({ kind, name }) => kind === 'option' && Object.hasOwn(options, name))
  // Everything after the last option of this script is passed to the runner unchanged.
  const last = own.at(-1)
  const ofRunner = given.slice(
    last === undefined ? 0 : last.index + (last.name === 'host' && !last.inlineValue ? 2 : 1),
  )
  const { unit = false, e2e = false, host } = values
  if (host !== undefined && !hosts.includes(host)) usage(`Unknown host "${String(host)}".`)
  if (unit && (e2e || host !== undefined)) usage('Use either --unit or --e2e.')
  if (unit) return [inNode(ofRunner)]
  if (host !== undefined) return [{ ...inHost(host, ofRunner), required: true }]
  if (e2e) return inHosts(ofRunner)
  if (ofRunner.length > 0)
    usage('Add --unit or --e2e first: the two runners take different arguments.')
  if (values.changed) return ofChanges()
  if (values.rest) return rest
  return values.all ? [...firstRing, ...rest] : firstRing
}

function ofChanges() {
  const { since, files } = changedFiles()
  console.log(`${files.length} files changed since ${since}.`)
  const tests = testsOf(files)
  return [
    ...(tests.inNode === null ? [] : [{ ...inNode([]), args: tests.inNode }]),
    ...tests.inHosts.map(({ host, args }) => inHost(host, args)),
  ]
}

async function run(script, args, env = {}) {
  const stdio = ['ignore', 'inherit', 'inherit']
  const child = spawn(process.execPath, [join('node_modules', script), ...args], {
    stdio,
    env: { ...process.env, ...env },
  })
  const [status] = await once(child, 'close')
  return status
}

async function runVitest({ args, report }) {
  const file = `${folder}/${report}.json`
  const costs = resolve(folder, `${report}-costs.jsonl`)
  for (const old of [file, costs]) rmSync(old, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const status = await run('vitest/vitest.mjs', [...args, ...reporters], {
    COUNTERSIGN_COSTS: costs,
  })
  return {
    counts: readVitest(file, status),
    failures: vitestFailures(file),
    times: vitestTimes(costs),
  }
}

async function runPlaywright({ host, args, report }, chromium) {
  const file = `${folder}/${report}.json`
  rmSync(file, { force: true })
  const env = { COUNTERSIGN_E2E_HOST: host, CHROMIUM: chromium, PLAYWRIGHT_JSON_OUTPUT_FILE: file }
  const status = await run(
    '@playwright/test/cli.js',
    ['test', '--reporter=list,json', ...args],
    env,
  )
  return {
    counts: readPlaywright(file, status),
    failures: playwrightFailures(file),
    times: playwrightTimes(file),
  }
}

function whyNoElectron() {
  if (findElectron() === null) return 'binary not found (npx install-electron downloads it)'
  return noDesktopReason()
}

const steps = readArguments()
if (steps.length === 0) {
  console.log('No tests cover these changes.')
  process.exit(0)
}
mkdirSync(folder, { recursive: true })

try {
  await buildIfStale()
} catch (error) {
  console.error(error.message)
  console.log(countsLine({ ...noCounts, failed: 1 }))
  process.exit(1)
}

// Some tests in Node need it too: they show in a real browser what a hostile page can do.
const shell = ensureHeadlessShell()
const chromium = await ensureChromium()
let total = noCounts
const results = []
const notRun = []
const failed = []
const unsteady = []

/**
 * Adds a result, and returns its line. In CI, few failed files run once more by themselves, because
 * a busy machine makes some fail; if they pass then, they are unsteady.
 */
async function settle({ name, counts, failures, repeat }) {
  const listed = failures.map((failure) =>
    failureLines({ ...failure, file: `${name}: ${failure.file}` }),
  )
  const files = process.env['CI'] === undefined ? [] : filesToRepeat(failures)
  if (files.length > 0) console.log(`\n${name}: once more, ${files.join(' ')}`)
  const again = files.length > 0 ? (await repeat(files)).counts : noCounts
  const isUnsteady = again.passed > 0 && again.failed === 0
  if (isUnsteady) unsteady.push(...listed)
  else failed.push(...listed)
  const final = isUnsteady ? { ...counts, failed: 0 } : counts
  total = addCounts(total, final)
  return `${name}: ${countsLine(final)}${isUnsteady ? `, ${failures.length} unsteady` : ''}`
}

/** Returns what prevents a step, and whether that is a failure; null if nothing does. */
function whyNot({ host, required = false }) {
  const reason = host === 'electron' ? whyNoElectron() : null
  if (reason !== null) return { reason, counts: { ...noCounts, failed: required ? 1 : 0 } }
  if (chromium !== null) return null
  // A person's first run shows what works without one.
  const counts = steps === firstRing ? { ...noCounts, skipped: 1 } : { ...noCounts, failed: 1 }
  return { reason: 'no Chromium, and installing one failed. Set CHROMIUM=/path', counts }
}

async function take(step) {
  const { host, report } = step
  if (host === null) {
    const repeat = (files) => runVitest(inNode(files, `${report}-again`))
    results.push({ name: 'in Node', ...(await runVitest(step)), repeat })
    return
  }
  const name = `end-to-end, ${host}`
  console.log(`End-to-end, ${host} host`)
  const skipped = whyNot(step)
  if (skipped !== null) {
    notRun.push(`${name}: skipped, ${skipped.reason}`)
    total = addCounts(total, skipped.counts)
    return
  }
  const browser = (host === 'loopback' ? shell : null) ?? chromium
  const repeat = (files) => runPlaywright(inHost(host, files, `${report}-again`), browser)
  results.push({ name, ...(await runPlaywright(step, browser)), repeat })
}

// One after the other: switching between their many processes takes half of the time.
for (const step of steps) await take(step)

const lines = []
for (const result of results) lines.push(await settle(result))
lines.push(...notRun)

console.log(
  `\nDearest files (in Node, in processor time):\n${slowestLines(results.flatMap(({ times }) => times))}`,
)

if (unsteady.length > 0)
  console.log(
    `\nUnsteady (failed while others ran, passed when repeated):\n\n${unsteady.join('\n\n')}`,
  )
if (failed.length > 0) console.log(`\nFailed:\n\n${failed.join('\n\n')}`)
console.log(`\n${lines.join('\n')}\n${countsLine(total)}`)
if (total.passed + total.failed === 0) console.error('No tests ran.')
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1)
