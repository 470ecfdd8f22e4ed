/**
 * `npm test`: builds, finds or installs a Chromium, and runs the tests in Node (vitest), then the end-to-end tests (Playwright), one
 * host after another. Prints the ten slowest files; the last line is `N passed, N failed, N skipped`. Exits with 1 if a test failed or none ran.
 *
 *   npm test -- --changed                           only the tests that the changes of this branch reach (scripts/lib/changed.ts)
 *   npm test -- --unit [ARGUMENTS OF VITEST]        only what runs in Node
 *   npm test -- --e2e [ARGUMENTS OF PLAYWRIGHT]     only end-to-end, in every host
 *   npm test -- --host standin [ARGUMENTS …]        only end-to-end, in that host: loopback, standin or electron
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
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

function usage(message) {
  console.error(
    `${message}\nUse: npm test [-- --changed | --unit | --e2e | --host ${hosts.join('|')}] [runner arguments]`,
  )
  process.exit(2)
}

/** What to run: the arguments of vitest and of each host's Playwright; null to skip it. */
function readArguments() {
  const { values, tokens } = parseArgs({
    args: process.argv.slice(2),
    options: {
      changed: { type: 'boolean' },
      unit: { type: 'boolean' },
      e2e: { type: 'boolean' },
      host: { type: 'string' },
    },
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const own = tokens.filter(
    (token) => token.kind === 'option' && ['changed', 'unit', 'e2e', 'host'].includes(token.name),
  )
  // Everything after the last option of this script is passed to the runner unchanged.
  const last = own.at(-1)
  const rest = process.argv
    .slice(2)
    .slice(
      last === undefined ? 0 : last.index + (last.name === 'host' && !last.inlineValue ? 2 : 1),
    )
  const { changed = false, unit = false, e2e = false, host } = values
  if (host !== undefined && !hosts.includes(host)) usage(`Unknown host "${host}".`)
  if (unit && (e2e || host !== undefined)) usage('Use either --unit or --e2e.')
  if (changed && (own.length > 1 || rest.length > 0))
    usage('--changed selects the tests itself. Remove other arguments.')
  if (rest.length > 0 && own.length === 0)
    usage('Add --unit or --e2e first: the two runners take different arguments.')
  if (changed) return ofChanges()
  const inHosts = unit ? [] : host === undefined ? hosts : [host]
  return {
    inNode: e2e || host !== undefined ? null : ['run', ...rest],
    inHosts: inHosts.map((name) => ({ host: name, args: rest })),
  }
}

function ofChanges() {
  const { since, files } = changedFiles()
  const { inNode, inHosts } = testsOf(files)
  console.log(`${files.length} files changed since ${since}.`)
  return { inNode, inHosts }
}

/** Runs a program of node_modules with the current Node. */
async function run(script, args, env = {}) {
  const stdio = ['ignore', 'inherit', 'inherit']
  const child = spawn(process.execPath, [join('node_modules', script), ...args], {
    stdio,
    env: { ...process.env, ...env },
  })
  const [status] = await once(child, 'close')
  return status
}

async function runVitest(args, report = 'vitest') {
  const file = `${folder}/${report}.json`
  rmSync(file, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const status = await run('vitest/vitest.mjs', [...args, ...reporters])
  return {
    counts: readVitest(file, status),
    failures: vitestFailures(file),
    times: vitestTimes(file),
  }
}

async function runPlaywright(host, args, chromium, report = `playwright-${host}`) {
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

const { inNode, inHosts } = readArguments()
if (inNode === null && inHosts.length === 0) {
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

// The Node tests need it too: they show in a real browser what a hostile page can do.
const shell = ensureHeadlessShell()
const chromium = await ensureChromium()
let total = noCounts
const results = []
const notRun = []
const failed = []
const unsteady = []

/**
 * Adds a result. In CI, the few files that failed run once more by themselves, because a busy machine makes some tests fail: if they
 * pass, they are listed as unsteady and don't fail the run.
 */
async function count({ name, counts, failures, repeat }) {
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

async function runHost(host, args) {
  const reason = host === 'electron' ? whyNoElectron() : null
  if (reason !== null) {
    notRun.push(`end-to-end, electron: skipped, ${reason}`)
    // A host selected by name is required.
    if (inHosts.length === 1) total = addCounts(total, { ...noCounts, failed: 1 })
    return
  }
  if (chromium === null) {
    notRun.push(
      `end-to-end, ${host}: no Chromium found, and installing one failed. Set CHROMIUM=/path.`,
    )
    total = addCounts(total, { ...noCounts, failed: 1 })
    return
  }
  const browser = (host === 'loopback' ? shell : null) ?? chromium
  const result = await runPlaywright(host, args, browser)
  const repeat = (files) => runPlaywright(host, files, browser, `playwright-${host}-again`)
  results.push({ name: `end-to-end, ${host}`, ...result, repeat })
}

// One after the other: together they have more processes than processors, and on a virtual machine the switches between them took
// half of the time.
const repeatNode = (files) => runVitest(['run', ...files], 'vitest-again')
if (inNode !== null)
  results.push({ name: 'in Node', ...(await runVitest(inNode)), repeat: repeatNode })
for (const { host, args } of inHosts) {
  console.log(`End-to-end, ${host} host`)
  await runHost(host, args)
}

const lines = []
for (const result of results) lines.push(await count(result))
lines.push(...notRun)

console.log(`\nSlowest files:\n${slowestLines(results.flatMap(({ times }) => times))}`)

if (unsteady.length > 0)
  console.log(
    `\nUnsteady (failed while others ran, passed when repeated):\n\n${unsteady.join('\n\n')}`,
  )
if (failed.length > 0) console.log(`\nFailed:\n\n${failed.join('\n\n')}`)
console.log(`\n${lines.join('\n')}\n${countsLine(total)}`)
if (total.passed + total.failed === 0) console.error('No tests ran.')
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1)
