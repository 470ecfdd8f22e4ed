/**
 * `node --import …/register.ts out/main/index.js`: replaces `electron` for the built main process.
 */
import { registerHooks } from 'node:module'

const standin = new URL('./electron.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' || specifier.startsWith('electron/')
      ? { url: standin, shortCircuit: true }
      : next(specifier, context),
})
