/**
 * `npm run check`: all that CI asks for. Lint, format, types and unused code, each told in one line, with what it said where it
 * failed; then the tests, whose own line comes last. `--no-tests` leaves those out.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const steps = [
  ['lint', 'oxlint/bin/oxlint', '--type-aware', '--deny-warnings'],
  ['format', 'prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'],
  ['types', '../scripts/typecheck.mjs'],
  ['unused code', 'knip/bin/knip.js'],
]

let failed = 0
for (const [name, script, ...args] of steps) {
  const startedAt = performance.now()
  const run = spawnSync(process.execPath, [join('node_modules', script), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  })
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  if (run.status !== 0) {
    failed++
    console.log(`${run.stdout}${run.stderr}`.trimEnd())
  }
  console.log(`${run.status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`)
}

const withTests = !process.argv.includes('--no-tests')
const tests = withTests
  ? spawnSync(process.execPath, ['scripts/test.mjs'], { stdio: ['ignore', 'inherit', 'inherit'] }).status
  : 0
process.exit(failed === 0 && tests === 0 ? 0 : 1)
