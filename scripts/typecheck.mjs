// Type-checks each runtime with its own tsconfig, so that `window` doesn't compile in the core, nor
// `process` in the renderer.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

// Largest first; the root `tsconfig.json` lists them, so `tsc -b` and editors know the same
// projects.
const { references } = JSON.parse(readFileSync('tsconfig.json', 'utf8'))
const projects = references.map(({ path }) => path)
const waiting = [...projects]
let failed = 0

/** Runs one checker per project: more would take twice the processor time. */
async function takeTurns() {
  for (let project = waiting.shift(); project !== undefined; project = waiting.shift()) {
    const args = ['node_modules/typescript/bin/tsc', '-p', project, '--checkers', '1']
    const [status] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'close')
    if (status !== 0) failed++
  }
}

// The largest first, two at a time: one processor each.
await Promise.all([takeTurns(), takeTurns()])
console.error(
  failed === 0
    ? `types: ${projects.length} projects, no errors`
    : `types: errors in ${failed} of ${projects.length} projects`,
)
process.exit(failed === 0 ? 0 : 1)
