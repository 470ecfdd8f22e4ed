import { expect, test } from 'vitest'
import { signatureOf, signedHeaders } from '../../../test/support/deliver.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { DEFAULT_ANSWERING } from '../../shared/model/hook.ts'
import { secretKey } from '../signature/sign.ts'
import { Registry, type RegisteredHook } from './registry.ts'
import { pathOfUrl, pathsOfTarget } from './hook-paths.ts'

const AT = 1_763_700_000_000
const BODY = Buffer.from('{"id":"1"}')

function hook(id: string, url: string, ...secrets: string[]): RegisteredHook {
  return {
    id,
    event: `event.${id}`,
    url,
    environment: 'sandbox-test',
    mode: 'test',
    prefix: 'service',
    createdAt: 0,
    isActive: true,
    isShared: false,
    keys: secrets.map(secretKey),
    answering: DEFAULT_ANSWERING,
  }
}

const ONE = hook('one', 'https://a.example/h/one', 'present', 'previous', 'oldest')
const TWIN = hook('twin', 'https://a.example/h/one', 'twin')
const OTHER = hook('other', 'https://b.example/h/other?x=1', 'other')

function registryOf(hooks: readonly RegisteredHook[], prefixes: readonly string[] = []) {
  const registry = new Registry()
  registry.replace(hooks, prefixes)
  return registry
}

function signed(
  secret: string,
  url: string,
  part: { timestamp?: string; prefix?: string } = {},
): RawHeaders {
  const { timestamp = String(AT), prefix = 'service' } = part
  return [
    [`X-${prefix}-Signature`, signatureOf(secret, BODY, url, timestamp)],
    [`x-${prefix}-timestamp`, timestamp],
  ]
}

async function judge(
  hooks: readonly RegisteredHook[],
  target: string,
  headers: RawHeaders,
  prefixes: readonly string[] = [],
) {
  const registry = registryOf(hooks, prefixes)
  const judgement = await registry.judge(target, headers, BODY, AT)
  // A body too large to keep is verified the same way.
  const { stream, finish } = registry.judgeStream(target)
  stream.update(BODY.subarray(0, 4))
  stream.update(BODY.subarray(4))
  expect(finish(headers, AT)).toEqual(judgement)
  return {
    verdict: judgement.verdict,
    freshness: judgement.freshness,
    hook: judgement.hook?.id ?? null,
  }
}

const proved = (id: string) => ({ verdict: 'valid', freshness: 'fresh', hook: id })

const good = signed('present', ONE.url)
const [signature, timestamp] = good as [[string, string], [string, string]]
const wrong = signed('wrong', ONE.url)
const acme = signed('present', ONE.url, { prefix: 'Acme' })

test.each<[string, readonly RegisteredHook[], string, RawHeaders, string, prefixes?: string[]]>([
  ['the hook of its path', [OTHER, ONE], '/h/one', good, 'one'],
  ['a previous secret of that hook', [ONE], '/h/one', signed('previous', ONE.url), 'one'],
  ['an even earlier secret', [ONE], '/h/one', signed('oldest', ONE.url), 'one'],
  [
    'the right one of two hooks with one URL',
    [ONE, TWIN],
    '/h/one',
    signed('twin', ONE.url),
    'twin',
  ],
  ['the first of two hooks with one URL', [ONE, TWIN], '/h/one', good, 'one'],
  ['a hook of another path', [ONE, OTHER], '/elsewhere', signed('other', OTHER.url), 'other'],
  ["a hook other than the path's", [ONE, OTHER], '/h/one', signed('other', OTHER.url), 'other'],
  ['a hook whose URL has a query', [OTHER], '/h/other?x=1', signed('other', OTHER.url), 'other'],
  ['headers that repeat the same values', [ONE], '/h/one', [...good, signature, timestamp], 'one'],
  ["headers with an environment's prefix, in any case", [ONE], '/h/one', acme, 'one', ['acme']],
  ['the usual headers beside another prefix', [ONE], '/h/one', good, 'one', ['acme']],
])('a delivery is verified with %s', async (_name, hooks, target, headers, id, prefixes) => {
  expect(await judge(hooks, target, headers, prefixes)).toEqual(proved(id))
})

const invalid = { verdict: 'invalid' }
const ofOne = { ...invalid, freshness: 'fresh', hook: 'one' }
const unknown = { verdict: 'unknown-hook', hook: null }
const unsigned = { verdict: 'unsigned', freshness: 'missing', hook: 'one' }
const other: [string, string] = ['x-service-signature', 'AAAA']

test.each([
  '/h/caf%C3%A9?n=a%20b',
  '/h/caf%c3%a9?n=a b',
  Buffer.from('/h/café?n=a%20b').toString('latin1'),
])('a hook whose URL is not ASCII has the deliveries to %s, forged ones too', async (target) => {
  const cafe = hook('cafe', 'https://a.example/h/café?n=a b', 'present')
  expect(await judge([cafe, ONE], target, signed('wrong', cafe.url))).toMatchObject({
    verdict: 'invalid',
    hook: 'cafe',
  })
})

test.each<[string, readonly RegisteredHook[], string, RawHeaders, object]>([
  ["a secret over another hook's URL", [ONE, OTHER], '/h/one', signed('other', ONE.url), invalid],
  ["a wrong secret on a hook's path", [ONE], '/h/one', wrong, ofOne],
  ['a query that a proxy added', [ONE], '/h/one?added=by-a-proxy', wrong, ofOne],
  ['a request target in absolute form', [ONE], 'https://a.example/h/one', wrong, ofOne],
  ['several hooks of the path', [ONE, TWIN], '/h/one', wrong, { ...invalid, hook: null }],
  ['an unknown path', [ONE], '/h/none', wrong, unknown],
  ['no hooks at all', [], '/h/one', good, unknown],
  ['no headers', [ONE], '/h/one', [], unsigned],
  ['no timestamp', [ONE], '/h/one', [signature], unsigned],
  ['no signature', [ONE], '/h/one', [timestamp], { ...unsigned, freshness: 'fresh' }],
  ['an unknown prefix', [ONE], '/h/one', acme, { verdict: 'unsigned' }],
  ['two signatures', [ONE], '/h/one', [signature, other, timestamp], invalid],
  ['two signatures, the good one last', [ONE], '/h/one', [other, signature, timestamp], invalid],
  ['two signatures on an unknown path', [ONE], '/h/none', [signature, other, timestamp], invalid],
  ['two timestamps', [ONE], '/h/one', [...good, ['X-SERVICE-TIMESTAMP', '1']], invalid],
])('a delivery is not verified with %s', async (_name, hooks, target, headers, expected) => {
  expect(await judge(hooks, target, headers)).toMatchObject(expected)
})

test('hooks added later are known, removed ones are not', async () => {
  const registry = registryOf([ONE])
  registry.replace([OTHER], [])
  expect((await registry.judge('/h/one', good, BODY, AT)).verdict).toBe('unknown-hook')
  expect(registry.byId('one')).toBe(undefined)
  expect(registry.hooksAt('/h/other?x=1').map(({ id }) => id)).toEqual(['other'])
})

test('headers under other prefixes change nothing for a delivery that its own headers prove', async () => {
  const ofAcme: RegisteredHook = { ...ONE, prefix: 'Acme' }
  const own = signed('present', ONE.url, { prefix: 'acme' })
  for (const others of [
    [['x-service-timestamp', '2026-11-26T15:00:00Z']],
    [['X-Service-Signature', 'gateway-v2']],
    signed('another', ONE.url),
  ] as RawHeaders[])
    for (const headers of [
      [...own, ...others],
      [...others, ...own],
    ])
      expect(await judge([ofAcme], '/h/one', headers, ['Acme'])).toEqual(proved('one'))
  const registry = registryOf([ofAcme], ['Acme'])
  // Nothing proves it: the hook's own headers decide.
  const found = await registry.judge('/h/one', [...signed('x', ''), ...own.slice(1)], BODY, AT)
  expect(found).toMatchObject({ verdict: 'unsigned', signature: null, timestamp: String(AT) })
  expect(registry.unknownPrefix([...own, ...signed('x', '', { prefix: 'Globex' })])).toBe('globex')
  expect(registry.unknownPrefix(signed('x', ''))).toBe(null)
})

test("headers with another prefix carry the sender's own notification id", () => {
  const registry = registryOf([ONE], ['acme'])
  expect(
    registry.signatureHeaders('/h/one', [
      ...signed('present', ONE.url, { prefix: 'acme' }),
      ['Acme-Message-Id', 'msg_1'],
    ]),
  ).toMatchObject([{ messageId: 'msg_1' }])
  expect(registry.signatureHeaders('/h/one', [['Acme-Message-Id', 'msg_1']])).toEqual([])
})

test('a deleted hook is proved only if no active one is', async () => {
  const deleted: RegisteredHook = { ...hook('deleted', ONE.url, 'present'), isActive: false }
  const headers = signed('present', ONE.url)
  expect(await judge([deleted, ONE], '/h/one', headers)).toEqual(proved('one'))
  expect(await judge([deleted, TWIN], '/h/one', headers)).toEqual(proved('deleted'))
})

test("freshness doesn't affect the verdict", async () => {
  expect(
    await judge([ONE], '/h/one', signed('present', ONE.url, { timestamp: String(AT - 300_001) })),
  ).toEqual({
    ...proved('one'),
    freshness: 'stale',
  })
  expect(
    await judge([ONE], '/h/one', signed('present', ONE.url, { timestamp: String(AT + 300_001) })),
  ).toEqual({
    ...proved('one'),
    freshness: 'future',
  })
  expect(await judge([ONE], '/h/one', signed('present', ONE.url, { timestamp: 'soon' }))).toEqual({
    ...proved('one'),
    freshness: 'missing',
  })
})

test('no headers make it throw', async () => {
  const strange: RawHeaders = [
    ['x-service-signature', 'é'.repeat(44)],
    ['x-service-timestamp', '\ud800'],
    ['', ''],
    ['__proto__', 'x'],
    ['x-service-signature'.toUpperCase(), 'é'.repeat(44)],
  ]
  expect(await judge([ONE], '/h/one', strange)).toMatchObject({
    verdict: 'invalid',
    freshness: 'missing',
  })
})

test('verifying a large body against a thousand hooks lets other work run in between', async () => {
  const many = Array.from({ length: 200 }, (_, index) =>
    hook(`${index}`, `https://a.example/h/${index}`, `secret ${index}`),
  )
  const registry = registryOf(many)
  const body = Buffer.alloc(1_048_576)
  let turns = 0
  const ticking = setInterval(() => turns++, 1)
  await registry.judge('/nowhere', signedHeaders('nobody', body, 'https://a.example/'), body, AT)
  clearInterval(ticking)
  expect(turns).toBeGreaterThan(10)
})

test.each([
  ['https://a.example', '/'],
  ['https://a.example/', '/'],
  ['https://a.example?x=1', '/?x=1'],
  ['https://a.example/h/one#top', '/h/one'],
  ['https://user:pass@a.example:8443/h/%7Eone?x=/y', '/h/%7Eone?x=/y'],
])('the path of %s is %s', (url, path) => {
  expect(pathOfUrl(url)).toBe(path)
  expect(pathsOfTarget(path)[0]).toBe(path)
})
