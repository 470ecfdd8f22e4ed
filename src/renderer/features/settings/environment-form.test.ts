import { expect, test } from 'vitest'
import { AppError } from '../../../shared/contract/errors.ts'
import { environmentAddSchema, environmentUpdateSchema } from '../../../shared/model/environment.ts'
import { problemOf } from '../../ui/call-problem.ts'
import { additionOf, changeOf, newEnvironment, placeProblem } from './environment-form.ts'

const draft = { ...newEnvironment, name: ' acme ', baseUrl: ' https://api.acme.test ', key: ' sk_1 ' }

test('what is left empty takes the defaults of the model', () => {
  expect(environmentAddSchema.parse(additionOf(draft))).toMatchObject({
    name: 'acme',
    mode: 'test',
    baseUrl: 'https://api.acme.test',
    key: 'sk_1',
    authHeader: 'Authentication',
    caPem: null,
    proxy: null,
    timeoutMs: 30_000,
  })
})

test('only what belongs to the authentication is sent', () => {
  const both = { ...draft, clientId: 'c', clientSecret: 's', tokenUrl: 'https://t.test', timeout: '2.5' }
  expect(additionOf(both)).not.toHaveProperty('clientId')
  expect(additionOf({ ...both, auth: 'bearer' })).not.toHaveProperty('key')
  expect(additionOf({ ...both, auth: 'bearer' })).toMatchObject({ clientId: 'c', tokenUrl: 'https://t.test', timeoutMs: 2_500 })
})

test('a change leaves out what was left empty, and takes away what is to go', () => {
  const change = environmentUpdateSchema.parse(
    changeOf({ ...newEnvironment, name: 'acme', baseUrl: 'https://b.test' }, 'service-key'),
  )
  expect(change).not.toHaveProperty('key')
  expect(change).not.toHaveProperty('caPem')
  expect(changeOf({ ...draft, dropCa: true, dropProxy: true }, 'service-key')).toMatchObject({ caPem: null, proxy: null })
})

test('with another kind of authentication nothing of the old one stays', () => {
  const change = changeOf({ ...newEnvironment, name: 'acme', auth: 'bearer', clientId: 'c' }, 'service-key')
  expect(change).toMatchObject({ auth: 'bearer', clientId: 'c', clientSecret: '', tokenUrl: '' })
  expect(changeOf({ ...newEnvironment, name: 'acme' }, 'bearer')).toMatchObject({ auth: 'service-key', key: '' })
})

test('each sentence of a refusal goes to its field, the others to the form', () => {
  const findings = [
    'The base URL "x" is not a URL; it takes one like https://api.example.com.',
    'This is a public key (pk…); calls are authenticated with the secret one (sk…), section 5.1.',
    'Bearer authentication needs the URL of the token endpoint: the interface does not show it.',
    'Something new.',
  ]
  const { byField, rest } = placeProblem(problemOf(new AppError('INVALID_ENVIRONMENT', 'All.', { details: { findings } })))
  expect([...byField.keys()]).toEqual(['baseUrl', 'key', 'tokenUrl'])
  expect(rest).toEqual(['Something new.'])
})

test('an input that does not fit is said at its field', () => {
  const { byField } = placeProblem(problemOf(new AppError('INVALID_INPUT', 'environments.add: timeoutMs: Too small')))
  expect(byField.get('timeout')).toBe('Too small')
})

test('a name that is taken is said at the name', () => {
  const { byField } = placeProblem(problemOf(new AppError('INVALID_ENVIRONMENT', 'There is an environment "acme" already.')))
  expect([...byField.keys()]).toEqual(['name'])
})
