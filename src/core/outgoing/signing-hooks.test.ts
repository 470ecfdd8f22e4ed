/** Which hook's secret signs a delivery. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { accountsInFolder } from '../../../test/support/in-folder.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { environmentAddSchema } from '../../shared/model/environment.ts'
import { hookImportSchema } from '../../shared/model/hook.ts'
import { secretKey } from '../signature/sign.ts'
import { createHookOf, type SigningHooksDeps } from './signing-hooks.ts'

const SECRET = 'whsec_of_a_known_hook'
const folder = temporaryFolder()
let accounts: SigningHooksDeps
let known: string

beforeAll(async () => {
  const { environments, hooks } = await accountsInFolder(folder)
  const account = { name: 'staging', mode: 'test', baseUrl: 'https://api.example.com', key: 'sk_test_0123456789', ack: '2xx' }
  await environments.add(environmentAddSchema.parse(account))
  const hook = { event: 'card.linked', url: 'https://hooks.example/in', secret: SECRET, environment: 'staging' }
  known = (await hooks.import(hookImportSchema.parse(hook))).id
  accounts = { environments, hooks }
})
const its = { hookId: null, registeredUrl: null }

test('its own hook signs, over its registered URL or another one', async () => {
  const delivery = { hookId: known }
  const own = await createHookOf(accounts, its, null)(delivery)
  expect(own).toMatchObject({ url: 'https://hooks.example/in', ack: '2xx' })
  expect(own?.key.equals(secretKey(SECRET))).toBe(true)
  const other = { hookId: null, registeredUrl: 'https://other.example/' }
  expect(await createHookOf(accounts, other, null)(delivery)).toMatchObject({ url: 'https://other.example/' })
})

test('a delivery whose hook is unknown here, such as an imported one, has no hook', async () => {
  const hookOf = createHookOf(accounts, its, null)
  expect([await hookOf({ hookId: null }), await hookOf({ hookId: 'of another data folder' })]).toEqual([null, null])
})

test('an unknown chosen hook and an unreadable secret are reported', async () => {
  const chosen = createHookOf(accounts, { hookId: 'mistyped', registeredUrl: null }, null)
  await expect(chosen({ hookId: known })).rejects.toThrow('Hook mistyped not found.')
  rmSync(join(folder, 'vault.key'))
  const withoutKey = await accountsInFolder(folder)
  await expect(createHookOf(withoutKey, its, null)({ hookId: known })).rejects.toMatchObject({ code: 'SECRET_UNREADABLE' })
})
