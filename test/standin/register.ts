/** `node --import ./test/standin/register.ts out/main/index.js`: replaces `electron` for the built main process. */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Change, CHANGE_VARIABLE, changed } from './mutants.ts'

const standin = new URL('./electron.ts', import.meta.url).href
const changes = JSON.parse(process.env[CHANGE_VARIABLE] ?? '[]') as readonly Change[]

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' || specifier.startsWith('electron/')
      ? { url: standin, shortCircuit: true }
      : next(specifier, context),
  load(url, context, next) {
    const loaded = next(url, context)
    // A mutant: the built main process with some places changed.
    if (changes.length === 0 || !url.endsWith('/out/main/index.js')) return loaded
    return { ...loaded, source: changes.reduce(changed, readFileSync(fileURLToPath(url), 'utf8')) }
  },
})
