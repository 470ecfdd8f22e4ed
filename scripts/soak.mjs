/** `npm run soak [-- PART OF A PATH…]`: the long form of tests (test/support/long-form.ts). */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { buildIfStale } from './build.mjs'
import { ensureChromium } from './lib/chromium.ts'

const parts = process.argv.slice(2)
const files = globSync('{src,test}/**/*.test.{ts,tsx}')
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
  .filter((file) => /support\/long-form\.ts/.test(readFileSync(file, 'utf8')))
if (files.length === 0) {
  console.error(`No test with a long form matches ${parts.join(', ')}.`)
  process.exit(2)
}
await buildIfStale()
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', ...files],
  {
    stdio: 'inherit',
    env: { ...process.env, COUNTERSIGN_SOAK: '1', CHROMIUM: (await ensureChromium()) ?? '' },
  },
)
process.exit(status ?? 1)
