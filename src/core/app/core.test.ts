import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AppError } from '../../shared/contract/errors.ts'
import { RpcClient } from '../../shared/rpc/client.ts'
import { createMemoryPair } from '../../shared/rpc/memory-pair.ts'
import { coreInFolder } from '../../../test/support/in-folder.ts'
import { type Core } from './core.ts'
import { createLateCore } from './late-core.ts'

const shown: string[] = []
const options = {
  native: {
    'native.showInFolder': ({ what }: { what: string }) => {
      shown.push(what)
      return Promise.resolve({})
    },
    'native.quit': () => Promise.resolve({}),
    'native.chooseFile': () => Promise.resolve({ file: null }),
    'native.lookAtFile': () => Promise.resolve({ size: 0, changedAt: 0 }),
    'native.readFile': () => Promise.resolve({ base64: '' }),
    'native.update': () => Promise.resolve({ phase: 'idle' } as const),
  },
  onFailed: (error: unknown) =>
    new AppError('START_FAILED', (error as Error).message, { details: { text: 'more' } }),
  reportBug: () => 'ref',
}

function late() {
  const opening = Promise.withResolvers<Core>()
  const core = createLateCore(opening.promise, options)
  const connect = () => {
    const { client: near, core: far } = createMemoryPair()
    return { client: new RpcClient(near), end: core.connect(far) }
  }
  return { ...opening, core, connect }
}

test('calls wait until the core is open, and later ones go straight to it', async () => {
  const { resolve, connect, core } = late()
  const early = connect()
  const gone = connect()
  const answers: string[] = []
  const call = early.client.call('app.status', {}).then(({ host }) => answers.push(host))
  gone.client.call('app.status', {}).then(
    () => answers.push('gone'),
    () => undefined,
  )
  await Promise.resolve()
  gone.end()
  expect(answers).toEqual([])
  const app = await coreInFolder()
  resolve(app.core)
  await call
  expect((await connect().client.call('hooks.list', {})).hooks).toEqual([])
  expect(answers).toEqual(['loopback'])
  await core.close()
  expect(existsSync(join(app.dataFolder, 'instance.json')), 'closed with it').toBe(false)
})

test("if the core can't open, every command is rejected with the reason, and native ones still work", async () => {
  const { reject, connect, core } = late()
  const early = connect()
  const call = early.client.call('app.status', {})
  reject(new Error('No space left.'))
  const failed = { code: 'START_FAILED', message: 'No space left.', details: { text: 'more' } }
  await expect(call).rejects.toMatchObject(failed)
  await expect(connect().client.call('deliveries.list', {})).rejects.toMatchObject(failed)
  expect(await early.client.callNative('native.showInFolder', { what: 'data' })).toEqual({})
  expect(shown).toEqual(['data'])
  await core.close()
})
