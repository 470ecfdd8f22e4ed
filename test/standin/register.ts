/** `node --import ./test/standin/register.ts out/main/index.js`: gives the built main process the stand-in for `electron`. */
import { registerHooks } from 'node:module'

const standin = new URL('./electron.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' || specifier.startsWith('electron/')
      ? { url: standin, shortCircuit: true }
      : next(specifier, context),
})
