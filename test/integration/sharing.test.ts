/**
 * Shareable captures, made in one data folder and opened in a fresh one: nothing personal, and the
 * same verdicts and causes.
 */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Decrypter } from 'age-encryption'
import { beforeAll, describe, expect, test } from 'vitest'
import { sharePages, type SharedPage } from '../../src/shared/import-export/export-pages.ts'
import { importFile } from '../../src/shared/import-export/import-file.ts'
import type { Client } from '../../src/shared/rpc/client.ts'
import { signatureOf, signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { exported, imported } from '../support/export-import.ts'
import { findPlanted, plant } from '../support/planted-secrets.ts'
import { allDeliveries } from '../support/read-deliveries.ts'
import { headerOf, runReplay, startRawEndpoint } from '../support/replay-fixture.ts'
import { samplePayloads } from '../support/sample-payloads.ts'
import type { TestCore } from '../support/test-core.ts'

const request = {
  ...{ query: '', seqs: null, preview: false, passphrase: null },
  ...{ keep: [], replace: [], shiftMs: 0 },
}

async function shared(
  client: Client,
  options: Partial<
    Omit<SharedPage, 'text'> & { query: string; preview: boolean; shiftMs: number }
  > = {},
) {
  const pages: SharedPage[] = []
  const { signal } = new AbortController()
  for await (const page of sharePages(client, { ...request, ...options }, signal)) pages.push(page)
  return { text: pages.map(({ text }) => text).join(''), last: pages.at(-1)! }
}

async function openedFile(client: Client, bytes: Buffer, passphrase?: string) {
  let outcome
  for await (const soFar of importFile(client, ReadableStream.from([bytes]), { passphrase }))
    outcome = soFar
  return outcome
}

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

const bodiesOf = (text: string) =>
  linesOf(text).flatMap(({ body }) =>
    typeof body === 'string' ? [Buffer.from(body, 'base64')] : [],
  )

const plainToken = (prefix: string) => `${prefix}${randomBytes(9).toString('hex')}`

describe('60 planted values are in no encoding of the file', () => {
  const planted: string[] = []
  const secret = (name: string) => {
    const made = plant(`${name}-`)
    planted.push(made)
    return made
  }
  const token = (name: string) => {
    const made = plainToken(name)
    planted.push(made)
    return made
  }
  let from: TestCore

  beforeAll(async () => {
    from = await coreInFolder()
    await from.call('settings.set', { bodyLimit: 16_384 })
    const current = secret('whsec')
    const url = `https://${token('host')}.acme.example/${token('path')}/in?key=${token('query')}`
    const hook = await from.call('hooks.import', {
      event: 'transaction.auth',
      url,
      secret: secret('previous'),
      programId: '5b1c1b1e-7d3c-4c55-9d51-0c7d7d7a1111',
    })
    planted.push('5b1c1b1e-7d3c-4c55-9d51-0c7d7d7a1111')
    await from.call('hooks.rotate', { id: hook.id, secret: current })
    await from.call('hooks.answer', {
      id: hook.id,
      rule: { body: secret('answer'), headers: { 'x-answer': token('answer-header') } },
    })
    await from.call('environments.add', {
      name: token('account'),
      mode: 'live',
      baseUrl: `https://${token('api')}.example`,
      key: `sk_${token('key')}`,
    } as never)
    const path = url.slice(url.indexOf('/', 8))
    const { 'transaction.auth': sample } = samplePayloads
    const personal = {
      ...sample,
      approvalCode: secret('approval'),
      authCode: secret('auth-code'),
      wallet: { [secret('wallet-key')]: secret('wallet') },
      card: {
        ...sample.card,
        metadata: { [secret('metadata-key')]: secret('metadata'), deep: [[secret('deep')]] },
      },
      brand: {
        ...sample.brand,
        name: secret('brand'),
        logoURL: `https://cdn.example/${token('logo')}.png`,
      },
      location: {
        ...sample.location,
        address: secret('address'),
        city: secret('city'),
        postcode: secret('postcode'),
        metadata: { phone: token('phone') },
      },
      identifiers: { ...sample.identifiers, MID: secret('mid'), visaAuthCode: secret('visa') },
      customer: { email: secret('email'), born: token('born'), [token('unknown-key')]: 1 },
      nested: JSON.stringify({
        inner: secret('nested'),
        again: JSON.stringify({ deeper: secret('deeper') }),
      }),
      encoded: Buffer.from(secret('base64')).toString('base64'),
      encodedJson: Buffer.from(JSON.stringify({ of: secret('base64-json') })).toString('base64'),
      hex: Buffer.from(secret('hex')).toString('hex'),
      inUrl: `https://x.example/?q=${encodeURIComponent(secret('in-url'))}`,
      formEncoded: encodeURIComponent(secret('form')),
      list: [secret('item'), { of: secret('list') }],
      currency: secret('currency'),
      amount: secret('amount'),
      created: secret('created'),
      auth: secret('flag'),
    }
    const custom: [string, string][] = [
      ['X-Tenant', secret('tenant')],
      [`X-${token('name')}`, secret('named')],
      ['authorization', `Basic ${Buffer.from(secret('basic')).toString('base64')}`],
      ['cookie', `session=${token('cookie')}`],
      ['user-agent', secret('agent')],
      ['x-request-id', token('request')],
      ['x-forwarded-for', token('client')],
      ['referer', `https://r.example/${token('referer')}`],
      ['accept-language', token('language')],
    ]
    const deliver = (body: string | Buffer, headers: [string, string][] = [], to = path) =>
      from.send(from.receiver + to, {
        body,
        headers: [...signedHeaders(current, body, url), ...headers],
      })
    const body = JSON.stringify(personal)
    await deliver(body, custom)
    // Escaped as \u003c and so on, and with a name in escapes.
    const escaped = Array.from(
      secret('escaped'),
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ).join('')
    await deliver(`{"${escaped}":"${escaped}"}`)
    await deliver(
      '{}',
      [],
      `/${token('other-path')}/${encodeURIComponent(secret('segment'))}?${token('name')}=${encodeURIComponent(secret('value'))}`,
    )
    await from.send(from.receiver + path, {
      body: '{}',
      headers: [
        [
          'x-service-signature',
          `v1=${token('decorated')} ${signatureOf('nobody', '{}', url, '1')}`,
        ],
        ['x-service-timestamp', secret('timestamp')],
      ],
    })
    await from.send(from.receiver + path, {
      body: '{}',
      headers: [[`x-${plainToken('p').slice(0, 20)}-signature`, secret('foreign')]],
    })
    // Left out whole.
    await deliver(`{"filler":"${'x'.repeat(17_000)}","cut":"${secret('truncated')}"}`)
    const packed = gzipSync(JSON.stringify({ of: secret('compressed') }))
    await deliver(packed, [['content-encoding', 'gzip']])
    await deliver(`not JSON: ${secret('text')}`)
    await from.call('marks.set', { ids: ['latest~7'], marks: { note: secret('note') } })
  })

  test('neither in the file, nor in its bodies, nor decoded', async () => {
    expect(planted.length).toBeGreaterThanOrEqual(60)
    const whole = await exported(from.client)
    const findable = planted.filter(
      (value) =>
        findPlanted([value], Buffer.concat([Buffer.from(whole), ...bodiesOf(whole)])).length > 0,
    )
    // The search itself works: the full export has nearly all of them.
    expect(findable.length).toBeGreaterThan(45)
    const { text, last } = await shared(from.client)
    for (const bytes of [Buffer.from(text), ...bodiesOf(text)]) {
      expect(findPlanted(planted, bytes)).toEqual([])
      const lower = bytes.toString('latin1').toLowerCase()
      expect(planted.filter((value) => lower.includes(value.toLowerCase()))).toEqual([])
    }
    expect(last.shared).toBe(5)
    expect(last.report.leftOut).toEqual([
      { reason: 'truncated', count: 1 },
      { reason: 'compressed', count: 1 },
      { reason: 'not-json', count: 1 },
    ])
  })

  test('the preview says what would be replaced, writes nothing, and shows no known secret', async () => {
    const { text, last } = await shared(from.client, { preview: true })
    expect(text).toBe('')
    const { report } = last
    expect(report.replaced.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining([
        'id',
        'name',
        'address',
        'card',
        'code',
        'metadata',
        'unknown',
        'key',
        'header',
        'path',
        'note',
      ]),
    )
    expect(report.examples).toHaveLength(10)
    const { hooks } = await from.call('hooks.list', {})
    expect(hooks).toHaveLength(1)
    for (const { before } of report.examples) expect(before).not.toMatch(/^(?:whsec|previous)-/)
  })
})

describe('a capture opened in a fresh data folder', () => {
  let from: TestCore
  let to: TestCore
  let file: string
  const names: string[] = []

  beforeAll(async () => {
    from = await coreInFolder()
    to = await coreInFolder()
    const auth = await from.hook('/hooks/auth?tenant=7', 'whsec_0a1b2c3d4e5f60718293')
    const clearing = await from.hook('/hooks/clearing', 'whsec_of-the-clearing-hook', {
      event: 'transaction.clearing',
    })
    const rotated = await from.hook('/hooks/rotated', 'whsec_before')
    await from.call('hooks.rotate', { id: rotated.id, secret: 'whsec_after-it' })
    const body = JSON.stringify(samplePayloads['transaction.auth'], null, 2)
    const now = String(Date.now())
    const signWith = (secret: string, url: string, text = body, timestamp = now) =>
      signatureOf(secret, text, url, timestamp)
    const send = async (
      name: string,
      signature: string,
      path = '/hooks/auth?tenant=7',
      timestamp = now,
    ) => {
      names.push(name)
      await from.send(from.receiver + path, {
        body,
        headers: [
          ['content-type', 'application/json'],
          ['x-service-signature', signature],
          ['x-service-timestamp', timestamp],
        ],
      })
    }
    const { secret, url } = auth
    await send('valid', signWith(secret, url))
    await send('valid clearing', signWith(clearing.secret, clearing.url), '/hooks/clearing')
    await send('previous secret', signWith('whsec_before', rotated.url), '/hooks/rotated')
    const old = String(Date.now() - 3_600_000)
    await send('stale', signWith(secret, url, body, old), undefined, old)
    await send('other hook', signWith(clearing.secret, url))
    await send('no query', signWith(secret, url.split('?')[0] ?? ''))
    await send('other URL', signWith(secret, clearing.url))
    await send('compact', signWith(secret, url, JSON.stringify(JSON.parse(body))))
    await send('hexadecimal', Buffer.from(signWith(secret, url), 'base64').toString('hex'))
    await send('without its prefix', signWith(secret.replace('whsec_', ''), url))
    await send('seconds', signWith(secret, url, body, now.slice(0, 10)))
    await send('cut', signWith(secret, url).slice(0, 24))
    await send('two mistakes', signWith(clearing.secret, url.split('?')[0] ?? ''))
    await send('unexplained', signWith('nobody knows it', url))
    await send('unknown hook', signWith('nobody knows it', url), '/elsewhere')
    const hex = Buffer.from(signWith(secret, url), 'base64').toString('hex')
    await send('unknown hook, hexadecimal', hex, '/elsewhere')
    await from.send(`${from.receiver}/hooks/auth`, { body, headers: [] })
    names.push('unsigned')
    const { environments } = await from.call('environments.list', { includeSecrets: true })
    await send('API key', signWith(environments[0]?.key ?? '', url))
    file = (await shared(from.client)).text
    await imported(to.client, file)
  })

  const factsOf = async ({ client }: TestCore) => {
    const deliveries = linesOf(await exported(client)).filter(({ body }) => body !== undefined)
    const facts = deliveries.map(async ({ id, event, freshness, schema, attempt, bodySize }) => {
      const { verdict, diagnosis } = await client.call('deliveries.signature', { id: String(id) })
      return [verdict, diagnosis?.causes ?? null, event, freshness, schema, attempt, bodySize]
    })
    return (await Promise.all(facts)).map((fact, index) => [names[index], ...fact])
  }

  test('has the same verdicts, causes, events and ages', async () => {
    const before = await factsOf(from)
    expect(before.map(([name, verdict, causes]) => [name, verdict, causes])).toEqual([
      ['valid', 'valid', null],
      ['valid clearing', 'valid', null],
      ['previous secret', 'valid', null],
      ['stale', 'valid', null],
      ['other hook', 'invalid', ['secret:other-hook']],
      ['no query', 'invalid', ['url:no-query']],
      ['other URL', 'invalid', ['url:other-hook']],
      ['compact', 'invalid', ['body:compact']],
      ['hexadecimal', 'invalid', ['encoding:hex']],
      ['without its prefix', 'invalid', ['secret:no-prefix']],
      ['seconds', 'invalid', ['timestamp:seconds']],
      ['cut', 'invalid', ['encoding:cut']],
      ['two mistakes', 'invalid', ['secret:other-hook', 'url:no-query']],
      ['unexplained', 'invalid', null],
      ['unknown hook', 'unknown-hook', null],
      ['unknown hook, hexadecimal', 'unknown-hook', ['encoding:hex']],
      ['unsigned', 'unsigned', null],
      ['API key', 'invalid', ['secret:api-key']],
    ])
    expect(await factsOf(to)).toEqual(before)
  })

  test('is marked as shared, keeps lifecycles linked, and nothing is imported twice', async () => {
    const rows = await allDeliveries(to.client, 'is:shared')
    expect(rows).toHaveLength(names.length)
    expect(rows.every(({ origin, verifiedHere }) => origin === 'shared' && verifiedHere)).toBe(true)
    const lifecycles = await Promise.all(
      [from, to].map(async ({ client }) => {
        const [{ id } = { id: '' }] = await allDeliveries(client)
        const { stages } = await client.call('lifecycle.get', { deliveryId: id })
        return stages.map(({ name, deliveries }) => [name, deliveries.length])
      }),
    )
    expect(lifecycles[1]).toEqual(lifecycles[0])
    expect(lifecycles[0]?.length).toBeGreaterThan(0)
    expect(await imported(to.client, file)).toMatchObject({
      imported: 0,
      known: names.length,
      refused: 0,
    })
    expect((await to.call('hooks.list', {})).hooks).toHaveLength(3)
    expect(to.bugs).toEqual([])
  })

  test("replays with the file's secret, which the receiver itself never accepts", async () => {
    const [{ id } = { id: '' }] = await allDeliveries(to.client, 'is:shared is:valid')
    const { hooks } = await to.call('hooks.list', {})
    const hook = hooks.find(({ event }) => event === 'transaction.auth')!
    const { secret } = await to.call('hooks.reveal', { id: hook.id })
    expect(new URL(hook.url).hostname).toMatch(/\.hooks\.example$/)
    const endpoint = await startRawEndpoint()
    const { sends } = await runReplay(to.client, { ids: [id], to: endpoint.origin })
    expect(sends).toMatchObject([{ status: 200 }])
    const [sent] = endpoint.requests
    const timestamp = headerOf(sent, 'x-service-timestamp') ?? ''
    expect(headerOf(sent, 'x-service-signature')).toBe(
      signatureOf(secret, sent?.body ?? '', hook.url, timestamp),
    )
    await endpoint.close()
    await to.send(to.receiver + hook.path, {
      body: '{}',
      headers: signedHeaders(secret, '{}', hook.url),
    })
    const received = await to.latest()
    expect([received.origin, received.verdict, received.hookId]).toEqual([
      'received',
      'unknown-hook',
      null,
    ])
  })

  test('opens in the folder that it came from, beside the originals', async () => {
    expect(await imported(from.client, file)).toMatchObject({ imported: names.length, refused: 0 })
    const { text } = await shared(from.client, { query: 'is:shared' })
    const again = await coreInFolder()
    await imported(again.client, text)
    const [one, two] = await Promise.all([factsOf(to), factsOf(again)])
    expect(two.slice(0, 5)).toEqual(one.slice(0, 5))
  })

  test('moves all times by one amount', async () => {
    const moved = linesOf(
      (await shared(from.client, { query: 'is:stale', shiftMs: -86_400_000 })).text,
    )
    const [delivery] = moved.filter(({ body }) => body !== undefined) as {
      receivedAt: string
      headers: [string, string][]
      freshness: string
    }[]
    const [original] = linesOf(await exported(from.client, { query: 'is:stale' })) as typeof moved &
      { receivedAt: string }[]
    expect(Date.parse(String(original?.receivedAt)) - Date.parse(delivery!.receivedAt)).toBe(
      86_400_000,
    )
    const empty = await coreInFolder()
    await imported(empty.client, moved.map((line) => JSON.stringify(line)).join('\n'))
    expect(await empty.latest()).toMatchObject({ freshness: 'stale', verdict: 'valid' })
  })

  test('is encrypted piece by piece with a passphrase, into the file that it would be without', async () => {
    const core = await coreInFolder()
    const hook = await core.hook('/hooks/many', 'whsec_many')
    const bodies = Array.from({ length: 70 }, (_, index) => `{"amount":${index}}`)
    for (const body of bodies) await core.deliver(hook, body)
    const pages: SharedPage['text'][] = []
    const options = { ...request, passphrase: 'a passphrase' }
    for await (const { text } of sharePages(core.client, options, new AbortController().signal))
      pages.push(text)
    expect(pages.length).toBeGreaterThan(1)
    const written = Buffer.concat(pages.map((page) => Buffer.from(page as Uint8Array)))
    expect(written.includes('whsec_') || written.includes('amount')).toBe(false)
    const decrypter = new Decrypter()
    decrypter.addPassphrase('a passphrase')
    const text = await decrypter.decrypt(written, 'text')
    expect(bodiesOf(text).map(String)).toEqual(bodies)
    const preview = await core.call('exchange.share', {
      ...{ stream: null, seqs: [1], ends: true, preview: true, passphrase: 'a passphrase' },
    })
    expect(preview).toMatchObject({ entries: [], encrypted: null })
    const empty = await coreInFolder()
    const opened = (bytes: Buffer, passphrase?: string) =>
      openedFile(empty.client, bytes, passphrase)
    await expect(opened(written)).rejects.toThrow(
      'The file is encrypted. Import it with "countersign import FILE --passphrase-file FILE".',
    )
    await expect(opened(written, 'another passphrase')).rejects.toThrow(
      'The passphrase is wrong. Use the one that the file was encrypted with.',
    )
    expect(await opened(written, 'a passphrase')).toMatchObject({ imported: 70, refused: 0 })
  })

  test('the hooks come before every delivery, even if a mistake is searched for first', async () => {
    const core = await coreInFolder()
    const hook = await core.hook('/hooks/slow', 'whsec_slow')
    const hex = Buffer.from(signatureOf(hook.secret, '{}', hook.url, '1'), 'base64').toString('hex')
    const headers: [string, string][] = [
      ['x-service-signature', hex],
      ['x-service-timestamp', '1'],
    ]
    await core.send(hook.url, { body: '{}', headers })
    await core.deliver(hook)
    const { text } = await shared(core.client)
    expect(linesOf(text).map((line) => Object.keys(line)[1])).toEqual([
      'sharedEnvironment',
      'sharedHook',
      'shared',
      'shared',
    ])
  })

  test('a capture is cancelled between deliveries', async () => {
    const stopping = new AbortController()
    const pages = sharePages(from.client, request, stopping.signal)
    stopping.abort()
    await expect(pages.next()).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  test('handover.json in the data folder extends the table, also for one event', async () => {
    const rules = {
      keep: ['brand.name'],
      events: { 'transaction.auth': { keep: ['location.city'] } },
    }
    writeFileSync(join(from.dataFolder, 'handover.json'), JSON.stringify(rules))
    const { text } = await shared(from.client, { query: 'is:valid is:verified' })
    const [first] = bodiesOf(text).map((body) => JSON.parse(String(body)) as typeof sample)
    const { 'transaction.auth': sample } = samplePayloads
    expect(first).toMatchObject({
      brand: { name: sample.brand.name },
      location: { city: sample.location.city },
    })
    expect(first?.location.address).not.toBe(sample.location.address)
    writeFileSync(join(from.dataFolder, 'handover.json'), '{"keep":["a",2]}')
    await expect(shared(from.client)).rejects.toThrow(/handover\.json is invalid at "keep\.1"/)
  })
})
