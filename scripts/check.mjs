/** `npm run check [--no-tests]`: runs everything that CI checks; the tests come last. */
import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'

const steps = [
  ['lint', 'oxlint/bin/oxlint', '--type-aware', '--deny-warnings'],
  ['format', 'oxfmt/bin/oxfmt', '--check'],
  ['types', '../scripts/typecheck.mjs'],
  ['unused code', 'knip/bin/knip.js'],
  ['size', '../scripts/size.mjs', '--check'],
]

let failed = 0

async function take([name, script, ...args]) {
  const startedAt = performance.now()
  const step = spawn(process.execPath, [join('node_modules', script), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => step.once('close', resolve))
  const [stdout, stderr, status] = await Promise.all([text(step.stdout), text(step.stderr), ended])
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  if (status !== 0) {
    failed++
    console.log(`${stdout}${stderr}`.trimEnd())
  }
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`)
}

// Half of the steps use one processor: two at a time keep all processors busy.
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
