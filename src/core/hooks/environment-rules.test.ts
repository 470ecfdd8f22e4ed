import { beforeAll, expect, test } from 'vitest'
import { accountOf } from '../../../test/support/model-values.ts'
import { makeTestTls } from '../../../test/support/tls.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { EnvironmentAdd, EnvironmentFinding } from '../../shared/model/environment.ts'
import { checkEnvironment } from './environment-rules.ts'

let caPem: string

beforeAll(async () => {
  caPem = (await makeTestTls()).caPem
})

const bearer = {
  auth: 'bearer',
  key: undefined,
  clientId: 'client',
  clientSecret: 'secret',
  tokenUrl: 'https://auth.example.com/token',
} as const

function findingsOf(overrides: Partial<EnvironmentAdd>): EnvironmentFinding[] {
  try {
    checkEnvironment(accountOf(overrides))
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    expect(error.code).toBe('INVALID_ENVIRONMENT')
    const findings = error.details as EnvironmentFinding[]
    for (const { message } of findings) expect(error.message).toContain(message.replace(/\.$/, ''))
    return findings
  }
}

test.each<[string, Partial<EnvironmentAdd>]>([
  ['a secret key', {}],
  ['a base URL with a path', { baseUrl: 'https://example.com/service/' }],
  ['plain HTTP on loopback', { baseUrl: 'http://127.0.0.1:8080' }],
  ['plain HTTP on localhost', { baseUrl: 'http://localhost:8080' }],
  ['plain HTTP on a name below localhost', { baseUrl: 'http://app.localhost:8080' }],
  ['bearer authentication', bearer],
  ['a proxy', { proxy: 'http://proxy.example:3128' }],
])('%s is accepted', (_what, overrides) => {
  expect(findingsOf(overrides)).toEqual([])
})

test('a CA certificate is accepted', () => {
  expect(findingsOf({ caPem })).toEqual([])
  expect(findingsOf({ caPem: `# ours\n${caPem}\n${caPem}` })).toEqual([])
})

test.each<[string, Partial<EnvironmentAdd>, EnvironmentFinding['field'], RegExp]>([
  ['a public key', { key: 'pk_test_0123456789' }, 'key', /public key/],
  ['no key', { key: undefined }, 'key', /Enter a secret key/],
  ['another key', { key: 'key_0123456789' }, 'key', /start with sk/],
  ["a key that headers can't contain", { key: 'sk_test\n0123' }, 'key', /header/],
  ['no URL', { baseUrl: 'api.example.com' }, 'baseUrl', /isn't a valid URL/],
  ['plain HTTP to a remote host', { baseUrl: 'http://api.example.com' }, 'baseUrl', /HTTPS/],
  [
    'plain HTTP to a host that only starts like loopback',
    { baseUrl: 'http://127.0.0.1.example.com' },
    'baseUrl',
    /HTTPS/,
  ],
  [
    'a password in the URL',
    { baseUrl: 'https://user:hunter2@api.example.com' },
    'baseUrl',
    /password/,
  ],
  [
    'another API version at the end of the base URL',
    { baseUrl: 'https://api.example.com/v2' },
    'baseUrl',
    /ends in \/v2, but the API version is v1\. Set the API version to v2/,
  ],
  [
    'an extra field that is always sent',
    { ...bearer, tokenRequestFields: { client_secret: 'x' } },
    'tokenRequestFields',
    /client_secret is always sent/,
  ],
  [
    'an extra field with the name of the refresh token',
    { ...bearer, refreshTokenField: 'renewal', tokenRequestFields: { renewal: 'x' } },
    'tokenRequestFields',
    /renewal is always sent/,
  ],
  [
    'an extra field that looks like a secret',
    { ...bearer, tokenRequestFields: { password: 'x' } },
    'tokenRequestFields',
    /password looks like a secret, and extra fields are stored in clear/,
  ],
  ['a query in the base URL', { baseUrl: 'https://api.example.com/?a=1' }, 'baseUrl', /query/],
  [
    'a token URL with plain HTTP',
    { ...bearer, tokenUrl: 'http://auth.example.com' },
    'tokenUrl',
    /HTTPS/,
  ],
  ['an invalid proxy', { proxy: 'socks5://proxy.example' }, 'proxy', /proxy/],
  [
    'a proxy with a password, which would be stored in clear',
    { proxy: 'http://user:hunter2@proxy.example' },
    'proxy',
    /password/,
  ],
  ["a file that isn't a certificate", { caPem: 'hello' }, 'caPem', /PEM/],
  [
    'a broken certificate',
    { caPem: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
    'caPem',
    /PEM/,
  ],
])('%s is rejected', (_what, overrides, field, reason) => {
  const findings = findingsOf(overrides)
  expect(findings).toEqual([
    { field, section: expect.any(String), message: expect.stringMatching(reason) },
  ])
  expect(JSON.stringify(findings)).not.toContain('hunter2')
})

test('all problems are reported at once, each with its field and, if there is one, its section of the spec', () => {
  const findings = findingsOf({ baseUrl: 'x', key: 'pk', proxy: 'y', caPem: 'z' })
  expect(findings.map(({ field, section }) => [field, section])).toEqual([
    ['baseUrl', ''],
    ['key', '5.1'],
    ['proxy', ''],
    ['caPem', ''],
  ])
  expect(findingsOf({ auth: 'bearer', key: undefined }).map(({ field }) => field)).toEqual([
    'clientId',
    'clientSecret',
    'tokenUrl',
  ])
})
