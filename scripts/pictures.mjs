/**
 * `node scripts/pictures.mjs [NAME…]` takes the pictures of `docs/images`;
 * `node scripts/pictures.mjs --all DIR` takes one of every screen in every state and size, with a
 * page that shows them, for a person to look at.
 */
import { parseArgs } from 'node:util'
import { buildIfStale } from './build.mjs'
import { takeDocumentation } from './lib/pictures/documentation.mjs'
import { takeEveryScreen } from './lib/pictures/every-screen.mjs'

const { values, positionals } = parseArgs({
  options: { all: { type: 'string' } },
  allowPositionals: true,
})
await buildIfStale()
if (values.all === undefined) await takeDocumentation(positionals)
else await takeEveryScreen(values.all, positionals)
