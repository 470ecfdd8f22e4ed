/** With which hook's secret a delivery is signed. */
import { expect, test } from 'vitest'
import { AppError } from '../../shared/contract/errors.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { createHookOf } from './signing-hooks.ts'

/** One hook is known; `failing`: what the vault says of its secret. */
function hooksOf(failing?: AppError) {
  return {
    hooks: {
      get: (id: string) => {
        if (id !== 'known') throw new AppError('NOT_FOUND', `There is no hook ${id}.`)
        return { id, url: 'https://hooks.example/in', environment: 'test' }
      },
      reveal: () => (failing === undefined ? Promise.resolve('secret') : Promise.reject(failing)),
    } as unknown as Hooks,
    environments: { get: () => ({ prefix: 'service', ack: '2xx' }) } as unknown as Environments,
  }
}
const its = { hookId: null, registeredUrl: null }

test('its own hook signs, over its registered URL or another one', async () => {
  const delivery = { hookId: 'known' }
  expect(await createHookOf(hooksOf(), its, null)(delivery)).toMatchObject({ url: 'https://hooks.example/in', ack: '2xx' })
  const other = { hookId: null, registeredUrl: 'https://other.example/' }
  expect(await createHookOf(hooksOf(), other, null)(delivery)).toMatchObject({ url: 'https://other.example/' })
})

test('of no hook is a delivery also where its hook is not known here, as that of an imported one', async () => {
  const hookOf = createHookOf(hooksOf(), its, null)
  expect([await hookOf({ hookId: null }), await hookOf({ hookId: 'of another data folder' })]).toEqual([null, null])
})

test('a hook that was chosen and is not known is said to be missing, and so is a secret that cannot be read', async () => {
  const chosen = createHookOf(hooksOf(), { hookId: 'mistyped', registeredUrl: null }, null)
  await expect(chosen({ hookId: 'known' })).rejects.toThrow('There is no hook mistyped.')
  const unreadable = new AppError('SECRET_UNREADABLE', 'The secret cannot be read.')
  await expect(createHookOf(hooksOf(unreadable), its, null)({ hookId: 'known' })).rejects.toThrow(unreadable)
})
