import { expect, test } from 'vitest'
import { environmentOf } from '../../../../test/support/model-values.ts'
import { environmentAddSchema, environmentUpdateSchema } from '../../../shared/model/environment.ts'
import {
  additionOf,
  changeOf,
  draftOfEnvironment,
  environmentFields,
  newEnvironment,
  wrongInDraft,
  type EnvironmentDraft,
} from './environment-dialog.tsx'

const draft = {
  ...newEnvironment,
  name: ' acme ',
  baseUrl: ' https://api.acme.test ',
  key: ' sk_1 ',
}

test("empty fields use the model's defaults", () => {
  expect(environmentAddSchema.parse(additionOf(draft))).toMatchObject({
    name: 'acme',
    mode: 'test',
    baseUrl: 'https://api.acme.test',
    key: 'sk_1',
    apiVersion: 'v1',
    authHeader: 'Authentication',
    tokenForm: 'json',
    caPem: null,
    proxy: null,
    timeoutMs: 30_000,
  })
})

test('sends only the fields of the selected authentication', () => {
  const both = {
    ...draft,
    clientId: 'c',
    clientSecret: 's',
    tokenUrl: 'https://t.test',
    timeout: '2.5',
  }
  expect(additionOf(both)).not.toHaveProperty('clientId')
  expect(additionOf({ ...both, auth: 'bearer' })).not.toHaveProperty('key')
  expect(additionOf({ ...both, auth: 'bearer' })).toMatchObject({
    clientId: 'c',
    tokenUrl: 'https://t.test',
    timeoutMs: 2_500,
  })
})

const acme = environmentOf({
  name: 'acme',
  mode: 'live',
  auth: 'bearer',
  key: '…9876',
  clientId: 'client-1',
  tokenUrl: 'https://api.acme.test/token',
  authHeader: 'Authentication',
  tokenForm: 'form',
  tokenField: 'ticket',
  expiryField: 'lasts',
  tokenRequestFields: { scope: 'hooks', audience: 'a=b' },
  caPem: '-----BEGIN CERTIFICATE-----',
  proxy: 'http://proxy.test:3128',
  timeoutMs: 2_500,
})

test('opening and saving the form changes nothing', () => {
  const { name, mode: _mode, current: _current, key: _key, publicKey: _publicKey, ...rest } = acme
  expect(changeOf(draftOfEnvironment(acme))).toEqual({ name, ...rest })
  expect(environmentUpdateSchema.safeParse(changeOf(draftOfEnvironment(acme))).success).toBe(true)
})

test('cleared fields are removed or reset to defaults; the secret stays', () => {
  const emptied = {
    ...draftOfEnvironment(acme),
    caPem: ' ',
    proxy: '',
    timeout: '',
    authHeader: '',
  }
  expect(changeOf(emptied)).toMatchObject({
    caPem: null,
    proxy: null,
    timeoutMs: 30_000,
    authHeader: 'Authentication',
  })
  expect(changeOf(emptied)).not.toHaveProperty('clientSecret')
  expect(changeOf({ ...emptied, auth: 'service-key', key: ' sk_1 ' })).toMatchObject({
    auth: 'service-key',
    key: 'sk_1',
  })
})

test('missing fields and invalid numbers are reported before sending', () => {
  const fields = (part: Partial<EnvironmentDraft>) =>
    wrongInDraft({ ...draft, ...part }).map(({ field }) => field)
  expect(fields({})).toEqual([])
  expect(fields({ name: ' ', baseUrl: '', timeout: 'soon' })).toEqual([
    'name',
    'baseUrl',
    'timeoutMs',
  ])
  expect(fields({ timeout: '0' })).toEqual(['timeoutMs'])
  expect(fields({ timeout: '601' })).toEqual(['timeoutMs'])
  expect(fields({ timeout: '' })).toEqual([])
  expect(fields({ auth: 'bearer', tokenRequestFields: 'scope=hooks\nno sign' })).toEqual([
    'tokenRequestFields',
  ])
})

test('each finding names a field of the form', () => {
  const named = Object.keys(environmentAddSchema.shape).filter(
    (field) => !['mode', 'auth', 'ack', 'tokenForm'].includes(field),
  )
  expect(named.toSorted()).toEqual([...environmentFields].toSorted())
})
