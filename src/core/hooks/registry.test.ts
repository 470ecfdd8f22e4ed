import { describe, expect, test } from 'vitest'
import { signatureOf, signedHeaders } from '../../../test/support/deliver.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { PLAIN_ANSWER } from '../../shared/model/hook.ts'
import { secretKey } from '../signature/sign.ts'
import { pathOfUrl, pathsOfTarget, createRegistry, type RegisteredHook } from './registry.ts'

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
    keys: secrets.map(secretKey),
    answering: PLAIN_ANSWER,
  }
}

const ONE = hook('one', 'https://a.example/h/one', 'present', 'previous', 'oldest')
const TWIN = hook('twin', 'https://a.example/h/one', 'twin')
const OTHER = hook('other', 'https://b.example/h/other?x=1', 'other')

function registryOf(hooks: readonly RegisteredHook[], prefixes: readonly string[] = []) {
  const registry = createRegistry()
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
    proved: judgement.proved,
  }
}

const proved = (id: string) => ({ verdict: 'valid', freshness: 'fresh', hook: id, proved: true })

test('a delivery with differing signature headers is invalid, even on an unknown path', async () => {
  const [first, ...rest] = signed('present', ONE.url)
  const headers: RawHeaders = [first!, [first![0], 'another'], ...rest]
  expect((await judge([ONE], '/h/one', headers)).verdict).toBe('invalid')
  expect((await judge([ONE], '/h/none', headers)).verdict).toBe('invalid')
})

describe('a delivery is verified with', () => {
  test('the hook of its path', async () => {
    expect(await judge([OTHER, ONE], '/h/one', signed('present', ONE.url))).toEqual(proved('one'))
  })

  test("that hook's previous secrets", async () => {
    expect(await judge([ONE], '/h/one', signed('previous', ONE.url))).toEqual(proved('one'))
    expect(await judge([ONE], '/h/one', signed('oldest', ONE.url))).toEqual(proved('one'))
  })

  test('each of several hooks with the same URL, which differ by secret', async () => {
    expect(await judge([ONE, TWIN], '/h/one', signed('twin', ONE.url))).toEqual(proved('twin'))
    expect(await judge([ONE, TWIN], '/h/one', signed('present', ONE.url))).toEqual(proved('one'))
  })

  test("every other hook, each over its own registered URL, if the path doesn't identify one", async () => {
    expect(await judge([ONE, OTHER], '/somewhere/else', signed('other', OTHER.url))).toEqual(
      proved('other'),
    )
    expect(await judge([ONE, OTHER], '/h/one', signed('other', OTHER.url))).toEqual(proved('other'))
  })

  test("never a secret over another hook's URL", async () => {
    expect(await judge([ONE, OTHER], '/h/one', signed('other', ONE.url))).toMatchObject({
      verdict: 'invalid',
      proved: false,
    })
  })

  test('a hook whose URL has a query, whether the sender keeps or drops the query', async () => {
    expect(await judge([OTHER], '/h/other?x=1', signed('other', OTHER.url))).toEqual(
      proved('other'),
    )
    expect(await judge([ONE], '/h/one?added=by-a-proxy', signed('wrong', ONE.url))).toMatchObject({
      verdict: 'invalid',
      hook: 'one',
    })
  })

  test('a hook whose request target is in absolute form', async () => {
    expect(await judge([ONE], 'https://a.example/h/one', signed('wrong', ONE.url))).toMatchObject({
      verdict: 'invalid',
      hook: 'one',
    })
  })

  test('hooks added later, but not removed ones', async () => {
    const registry = registryOf([ONE])
    registry.replace([OTHER], [])
    expect((await registry.judge('/h/one', signed('present', ONE.url), BODY, AT)).verdict).toBe(
      'unknown-hook',
    )
    expect(registry.byId('one')).toBe(undefined)
    expect(registry.hooksAt('/h/other?x=1').map(({ id }) => id)).toEqual(['other'])
  })
})

describe('an unverified delivery', () => {
  test("is invalid on a hook's path, and has an unknown hook on any other path", async () => {
    expect(await judge([ONE], '/h/one', signed('wrong', ONE.url))).toEqual({
      verdict: 'invalid',
      freshness: 'fresh',
      hook: 'one',
      proved: false,
    })
    expect(await judge([ONE], '/h/none', signed('wrong', ONE.url))).toMatchObject({
      verdict: 'unknown-hook',
      hook: null,
    })
    expect(await judge([], '/h/one', signed('present', ONE.url))).toMatchObject({
      verdict: 'unknown-hook',
      hook: null,
    })
  })

  test('names no hook if several share the path', async () => {
    expect(await judge([ONE, TWIN], '/h/one', signed('wrong', ONE.url))).toMatchObject({
      verdict: 'invalid',
      hook: null,
    })
  })

  test('is unsigned without a signature or timestamp', async () => {
    const [signature, timestamp] = signed('present', ONE.url) as [
      [string, string],
      [string, string],
    ]
    expect(await judge([ONE], '/h/one', [])).toMatchObject({
      verdict: 'unsigned',
      freshness: 'missing',
      hook: 'one',
    })
    expect(await judge([ONE], '/h/one', [signature])).toMatchObject({
      verdict: 'unsigned',
      freshness: 'missing',
    })
    expect(await judge([ONE], '/h/one', [timestamp])).toMatchObject({
      verdict: 'unsigned',
      freshness: 'fresh',
    })
  })
})

describe('duplicate headers', () => {
  const good = signed('present', ONE.url)
  const [signature, timestamp] = good as [[string, string], [string, string]]

  test('with the same value count once', async () => {
    expect(await judge([ONE], '/h/one', [...good, signature, timestamp])).toEqual(proved('one'))
  })

  test.each([
    ['signatures', [signature, ['x-service-signature', 'AAAA'], timestamp]],
    ['signatures, the good one last', [['x-service-signature', 'AAAA'], signature, timestamp]],
    ['timestamps', [signature, timestamp, ['X-SERVICE-TIMESTAMP', '1']]],
  ] as [string, RawHeaders][])(
    'with different %s make it invalid, even if one is correct',
    async (_name, headers) => {
      expect(await judge([ONE], '/h/one', headers)).toMatchObject({
        verdict: 'invalid',
        proved: false,
      })
    },
  )
})

describe('header names with other prefixes', () => {
  test('are recognized if an environment has the prefix, in any case', async () => {
    expect(
      await judge([ONE], '/h/one', signed('present', ONE.url, { prefix: 'Acme' }), ['acme']),
    ).toEqual(proved('one'))
    expect(
      await judge([ONE], '/h/one', signed('present', ONE.url, { prefix: 'Acme' })),
    ).toMatchObject({ verdict: 'unsigned' })
    expect(await judge([ONE], '/h/one', signed('present', ONE.url), ['acme'])).toEqual(
      proved('one'),
    )
  })

  test('under other prefixes change nothing for a delivery that its own headers prove', async () => {
    const acme: RegisteredHook = { ...ONE, prefix: 'Acme' }
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
        expect(await judge([acme], '/h/one', headers, ['Acme'])).toEqual(proved('one'))
    const registry = registryOf([acme], ['Acme'])
    // Nothing proves it: the hook's own headers decide.
    const found = await registry.judge('/h/one', [...signed('x', ''), ...own.slice(1)], BODY, AT)
    expect(found).toMatchObject({ verdict: 'unsigned', signature: null, timestamp: String(AT) })
    expect(registry.unknownPrefix([...own, ...signed('x', '', { prefix: 'Globex' })])).toBe(
      'globex',
    )
    expect(registry.unknownPrefix(signed('x', ''))).toBe(null)
  })

  test("carry the sender's own notification id", () => {
    const registry = registryOf([ONE], ['acme'])
    expect(
      registry.signatureHeaders('/h/one', [
        ...signed('present', ONE.url, { prefix: 'acme' }),
        ['Acme-Message-Id', 'msg_1'],
      ]),
    ).toMatchObject([{ messageId: 'msg_1' }])
    expect(registry.signatureHeaders('/h/one', [['Acme-Message-Id', 'msg_1']])).toEqual([])
  })
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
