// Type-checks each runtime under its own tsconfig, so that `window` does not compile in the core, nor `process` in the renderer.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const projects = ['shared', 'core', 'loopback', 'cli', 'main', 'preload', 'renderer']
  .map((name) => `src/${name}`)
  .concat('test', 'test/browser')
let failed = 0
for (const project of projects.filter((path) => existsSync(`${path}/tsconfig.json`))) {
  const run = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project], { stdio: 'inherit' })
  if (run.status !== 0) failed++
}
console.error(
  failed === 0 ? `types: ${projects.length} projects, no errors` : `types: errors in ${failed} of ${projects.length} projects`,
)
process.exit(failed === 0 ? 0 : 1)
