/**
 * `npm run package`: builds the app and creates installers for this platform in `dist/`. electron-builder downloads Electron and
 * its tools. Arguments after `--` go to electron-builder (`--dir`, `--arm64`).
 *
 * COUNTERSIGN_UPDATE_URL is where the installed app looks for updates (https). Without it, the app has no updater.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildAll, BuildError } from './build.mjs'
import { passOn } from './lib/pass-on.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** electron-builder's options for the URL of updates, which it writes into the app. Throws if it is set by half. */
function updateOptions() {
  const url = process.env.COUNTERSIGN_UPDATE_URL ?? ''
  if (url === '') return []
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
    throw new BuildError('COUNTERSIGN_UPDATE_URL must be a complete https URL.')
  if (JSON.parse(readFileSync(join(root, 'resources', 'update-keys.json'), 'utf8')).length === 0)
    throw new BuildError(
      'COUNTERSIGN_UPDATE_URL is set, but resources/update-keys.json lists no key, so the app would refuse every update. Add a public key.',
    )
  return ['--config.publish.provider=generic', `--config.publish.url=${url}`]
}

let updates
try {
  updates = updateOptions()
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
  ...updates,
  ...process.argv.slice(2),
])
