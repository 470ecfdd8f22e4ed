/**
 * `npm run package`: builds the app and creates installers for this platform in `dist/`. electron-builder downloads Electron and
 * its tools. Arguments after `--` go to electron-builder (`--dir`, `--arm64`).
 */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildAll, BuildError } from './build.mjs'
import { passOn } from './lib/pass-on.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

try {
  await buildAll({ targets: ['app'] })
} catch (error) {
  console.error(error instanceof BuildError ? error.message : error)
  process.exit(3)
}
const builder = join(root, 'node_modules', 'electron-builder', 'cli.js')
passOn(process.execPath, [
  builder,
  '--config',
  join(root, 'electron-builder.yml'),
  '--publish',
  'never',
  ...process.argv.slice(2),
])
