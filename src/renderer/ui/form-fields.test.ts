import { expect, test } from 'vitest'
import { environmentOf } from '../../../test/support/model-values.ts'
import { environmentAddSchema, environmentUpdateSchema } from '../../shared/model/environment.ts'
import { handlerAddSchema } from '../../shared/model/handler.ts'
import { answeringInputSchema, hookAddSchema, hookImportSchema } from '../../shared/model/hook.ts'
import {
  draftOf,
  findingsOfDraft,
  formFieldsOf,
  inputOfDraft,
  type FormDraft,
} from './form-fields.ts'

const environment = formFieldsOf(environmentAddSchema)
const rule = formFieldsOf(answeringInputSchema)
const newEnvironment = draftOf(environment, {
  mode: 'test',
  name: ' acme ',
  baseUrl: ' https://api.acme.test ',
  key: ' sk_1 ',
})

test('forms show every field of their inputs, except the consent to live mode', () => {
  for (const schema of [
    environmentAddSchema,
    handlerAddSchema,
    answeringInputSchema,
    hookAddSchema,
    hookImportSchema,
  ])
    expect(formFieldsOf(schema).map(({ name }) => name)).toEqual(
      Object.keys(schema.shape).filter((name) => name !== 'live'),
    )
})

test('hints are sentences, even those of an option', () => {
  const hints = environment.flatMap(({ words }) => words.hint || [])
  expect(hints).toContain('Base URL of the service, with or without the API version.')
  expect(hints.filter((hint) => !hint.endsWith('.'))).toEqual([])
})

test('a form sends trimmed texts, defaults for empty fields, and only the fields that apply', () => {
  expect(environmentAddSchema.parse(inputOfDraft(environment, newEnvironment))).toMatchObject({
    ...{ name: 'acme', baseUrl: 'https://api.acme.test', key: 'sk_1', mode: 'test' },
    ...{ apiVersion: 'v1', caPem: null, timeoutMs: 30_000 },
  })
  const both = { ...newEnvironment, clientId: 'c', clientSecret: 's' }
  expect(inputOfDraft(environment, both)).not.toHaveProperty('clientId')
  const bearer = inputOfDraft(environment, { ...both, auth: 'bearer', timeoutMs: '' })
  expect(bearer).toMatchObject({ clientId: 'c', authHeader: 'Authentication', timeoutMs: 30_000 })
  expect(bearer).not.toHaveProperty('key')
})

test('a form that is opened and saved changes nothing', () => {
  const stored = environmentOf({
    ...{ name: 'acme', mode: 'live', auth: 'bearer', clientId: 'client-1', tokenForm: 'form' },
    ...{ tokenUrl: 'https://api.acme.test/token', tokenField: 'ticket', expiryField: 'lasts' },
    tokenRequestFields: { scope: 'hooks', audience: 'a=b' },
    caPem: '-----BEGIN CERTIFICATE-----',
    proxy: 'http://proxy.test:3128',
    timeoutMs: 2_500,
  })
  const input = inputOfDraft(environment, draftOf(environment, { ...stored, key: null }))
  const { current: _current, key: _key, publicKey: _publicKey, ...rest } = stored
  expect(input).toEqual(rest)
  expect(environmentUpdateSchema.safeParse(input).success).toBe(true)
  const answer = answeringInputSchema.parse({
    ...{ status: 503, delayMs: 1_500, drop: true, body: ' two\n', failFirst: 2 },
    headers: { 'X-Two': '2', 'X-One': '' },
  })
  expect(JSON.stringify(inputOfDraft(rule, draftOf(rule, answer)))).toBe(JSON.stringify(answer))
})

test('a missing or invalid value is reported at its field, in the words of the contract', () => {
  const problemsOf = (part: FormDraft) =>
    findingsOfDraft(environmentAddSchema, environment, { ...newEnvironment, ...part })
  expect(problemsOf({})).toEqual([])
  expect(
    new Set(problemsOf({ name: ' ', timeoutMs: 'soon' }).map(({ message }) => message)),
  ).toEqual(new Set(['Enter the name.', 'Enter a number of seconds from 0.1 to 600.']))
  for (const timeoutMs of ['0', '601'])
    expect(problemsOf({ timeoutMs }).map(({ field }) => field)).toEqual(['timeoutMs'])
  expect(problemsOf({ prefix: 'a b' })).toMatchObject([
    { field: 'prefix', message: /letters, digits and dashes/ },
  ])
  expect(problemsOf({ auth: 'bearer', tokenRequestFields: 'scope=hooks\nno sign' })).toEqual([
    { field: 'tokenRequestFields', message: 'Enter one name=value per line.' },
  ])
})

test('a header is reported at its row: one that is used twice, and one that belongs to the connection', () => {
  const named = (...names: string[]) => ({
    ...draftOf(rule, {}),
    headers: names.map((name, key) => ({ key, name, value: 'x' })),
  })
  const problemsOf = (draft: FormDraft) => findingsOfDraft(answeringInputSchema, rule, draft)
  expect(problemsOf(named('X-One', 'x-one', 'X-Two'))).toEqual([
    { field: 'headers.x-one', message: 'This header name is used twice.' },
  ])
  expect(problemsOf(named('Connection')).map(({ field }) => field)).toEqual(['headers.Connection'])
})
