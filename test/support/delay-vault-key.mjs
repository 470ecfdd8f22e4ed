/** Preloaded into a process: reading its `vault.key` waits until the test has written that file. */
import { existsSync, promises } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { setTimeout as delay } from 'node:timers/promises'

const { readFile } = promises
promises.readFile = async (file, ...rest) => {
  while (String(file).endsWith('vault.key') && !existsSync(file)) await delay(20)
  return readFile(file, ...rest)
}
syncBuiltinESMExports()
