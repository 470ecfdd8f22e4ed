/**
 * `npm run check`: everything that CI checks. Lint, format, types, unused code and sizes, with one line each and the output of failures;
 * then the tests, whose own line comes last. `--no-tests` skips those.
 */
import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'

const steps = [
  ['lint', 'oxlint/bin/oxlint', '--type-aware', '--deny-warnings'],
  ['format', 'prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'],
  ['types', '../scripts/typecheck.mjs'],
  ['unused code', 'knip/bin/knip.js'],
  ['size', '../scripts/size.mjs', '--check'],
]

let failed = 0

/** Runs one step and reports its result. */
async function take([name, script, ...args]) {
  const startedAt = performance.now()
  const step = spawn(process.execPath, [join('node_modules', script), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => step.once('close', resolve))
  const [said, complained, status] = await Promise.all([
    text(step.stdout),
    text(step.stderr),
    ended,
  ])
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  if (status !== 0) {
    failed++
    console.log(`${said}${complained}`.trimEnd())
  }
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`)
}

// Two of the steps use one processor, two use all: two at a time keep all processors busy.
async function takeTurns() {
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) await take(step)
}
await Promise.all([takeTurns(), takeTurns()])

const withTests = !process.argv.includes('--no-tests')
const tests = withTests
  ? spawnSync(process.execPath, ['scripts/test.mjs'], { stdio: ['ignore', 'inherit', 'inherit'] })
      .status
  : 0
process.exit(failed === 0 && tests === 0 ? 0 : 1)
