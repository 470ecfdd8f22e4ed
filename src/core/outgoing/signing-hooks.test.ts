import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { accountsInFolder } from '../../../test/support/in-folder.ts'
import { accountOf } from '../../../test/support/model-values.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { hookImportSchema } from '../../shared/model/hook.ts'
import type { ReplaySettings } from '../../shared/model/send.ts'
import { secretKey } from '../signature/sign.ts'
import {
  createSigningHookFinder,
  type HandlerSigner,
  type SigningHooksDeps,
} from './signing-hooks.ts'

const SECRET = 'whsec_of_a_known_hook'
const folder = temporaryFolder()
let accounts: SigningHooksDeps
let known: string

beforeAll(async () => {
  const { environments, hooks } = await accountsInFolder(folder)
  await environments.add(accountOf({ ack: '2xx' }))
  const hook = {
    event: 'card.linked',
    url: 'https://hooks.example/in',
    secret: SECRET,
    environment: 'staging',
  }
  known = (await hooks.import(hookImportSchema.parse(hook))).id
  accounts = { environments, hooks, handlerSigner }
})
const its: Pick<ReplaySettings, 'hookId' | 'registeredUrl' | 'handlerId'> = {
  hookId: null,
  registeredUrl: null,
  handlerId: null,
}
/** Returns the signer of two handlers: one with its own secret, one with the known hook's. */
async function handlerSigner(id: string): Promise<HandlerSigner | null> {
  if (id === 'own')
    return { secret: 'whsec_of_a_handler', url: 'https://own.example/', prefix: null }
  return id === 'hooked' ? { hookId: known, url: null } : null
}

const signedBy = (request: Partial<typeof its>, hookId: string | null = null) =>
  createSigningHookFinder(accounts, { ...its, ...request }, null)({ hookId })

test('its own hook signs, over its registered URL or another one', async () => {
  const own = await signedBy({}, known)
  expect(own).toMatchObject({ url: 'https://hooks.example/in', ack: '2xx' })
  expect(own?.key.equals(secretKey(SECRET))).toBe(true)
  const other = await signedBy({ registeredUrl: 'https://other.example/' }, known)
  expect(other).toMatchObject({ url: 'https://other.example/' })
})

test('a delivery whose hook is unknown here, such as an imported one, has no hook', async () => {
  expect([await signedBy({}), await signedBy({}, 'of another data folder')]).toEqual([null, null])
})

test("a saved handler's own secret signs any delivery, its hook's too, and a chosen hook comes first", async () => {
  const confirmed: unknown[] = []
  const admitted = { confirmSigner: (signer: unknown) => confirmed.push(signer) }
  const signed = await createSigningHookFinder(
    accounts,
    { ...its, handlerId: 'own' },
    admitted,
  )({ hookId: null })
  expect(signed).toMatchObject({ url: 'https://own.example/', prefix: 'service', ack: '200' })
  expect(signed?.key.equals(secretKey('whsec_of_a_handler'))).toBe(true)
  expect(confirmed).toEqual([{ secrets: ['whsec_of_a_handler'] }])
  const ofKnown = await signedBy({ handlerId: 'own' }, known)
  expect(ofKnown).toMatchObject({ url: 'https://own.example/', ack: '2xx' })
  const hooked = await signedBy({ handlerId: 'hooked' })
  expect(hooked).toMatchObject({ url: 'https://hooks.example/in' })
  const chosen = await signedBy({ hookId: known, handlerId: 'own' })
  expect(chosen?.key.equals(secretKey(SECRET))).toBe(true)
  expect(await signedBy({ handlerId: 'bare' })).toBeNull()
})

test('an unknown chosen hook and an unreadable secret are reported', async () => {
  await expect(signedBy({ hookId: 'mistyped' }, known)).rejects.toThrow('Hook mistyped not found.')
  rmSync(join(folder, 'vault.key'))
  const withoutKey = { ...(await accountsInFolder(folder)), handlerSigner }
  await expect(
    createSigningHookFinder(withoutKey, its, null)({ hookId: known }),
  ).rejects.toMatchObject({
    code: 'SECRET_UNREADABLE',
  })
})
