/**
 * `npm run package`: builds the app and makes the installers of the present platform with electron-builder, into `dist/`. It needs
 * the network: electron-builder fetches Electron and its own tools. Arguments after `--` go to electron-builder (`--dir`, `--arm64`).
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
