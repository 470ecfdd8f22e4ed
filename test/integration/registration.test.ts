/**
 * Tests the client of the service's API with a service other than the sandbox: other records, other
 * errors, other tokens. The client must not depend on anything that the spec leaves open.
 */
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { InputOf, OutputOf } from '../../src/shared/contract/contract.ts'
import { listen } from '../support/listen.ts'
import { coreInFolder } from '../support/in-folder.ts'
import {
  otherHookId,
  startOtherService,
  type OtherService,
  type OtherServiceOptions,
} from '../support/other-service.ts'
import type { TestCore } from '../support/test-core.ts'
import { makeTestTls, type TestTls } from '../support/tls.ts'
import { refusal } from '../support/refusal.ts'

const KEY = 'sk_test_registration_0123456789'
const PROGRAM = '5a1a4f0e-4a3b-4f43-9d0f-2f8f0d1f0001'
const OTHER_PROGRAM = '5a1a4f0e-4a3b-4f43-9d0f-2f8f0d1f0002'
const OFFER = '5a1a4f0e-4a3b-4f43-9d0f-2f8f0d1f00ff'

let tls: TestTls
let app: TestCore
let service: OtherService
let environments = 0
const services: OtherService[] = []

beforeAll(async () => {
  tls = await makeTestTls()
  app = await coreInFolder()
})
afterEach(async () => {
  expect(app.bugs).toEqual([])
  for (const started of services.splice(0)) await started.close()
})

async function start(options: OtherServiceOptions = {}): Promise<OtherService> {
  const started = await startOtherService(tls, options)
  services.push(started)
  return started
}

/** Creates a new environment for each use, so that tests don't share hooks or tokens. */
async function environment(overrides: Partial<InputOf<'environments.add'>> = {}): Promise<string> {
  const { name } = await app.call('environments.add', {
    name: `other-${++environments}`,
    mode: 'test',
    baseUrl: service.origin,
    ...(overrides.auth === 'bearer' ? {} : { key: KEY }),
    caPem: tls.caPem,
    // Longer than a busy computer needs; tests of timeouts set their own.
    timeoutMs: 20_000,
    ...overrides,
  })
  return name
}

const url = () => `${app.receiver}/h/registration`

async function add(input: Partial<InputOf<'hooks.add'>> = {}): Promise<OutputOf<'hooks.add'>> {
  return app.call('hooks.add', {
    event: 'transaction.auth',
    url: url(),
    programId: PROGRAM,
    ...input,
  })
}

/** Adds a hook in its own environment. */
const addAnywhere = async (input: Parameters<typeof add>[0] = {}) =>
  add({ environment: await environment(), ...input })
const update = (id: string, input: Omit<InputOf<'hooks.update'>, 'id'>) =>
  app.call('hooks.update', { id, ...input })
const remove = (id: string) => app.call('hooks.remove', { id })
const hooksOf = async (name: string) => (await app.call('hooks.list', { environment: name })).hooks
const rules = ({ warnings }: OutputOf<'hooks.add'>) => warnings.map(({ rule }) => rule)

describe('registering', () => {
  beforeEach(async () => {
    service = await start({ authenticates: (headers) => headers['service-key'] === KEY })
  })

  test('a program hook: event, url, headers and offer are sent to the program; the record is stored with its unknown fields', async () => {
    const name = await environment()
    const { hook } = await add({
      environment: name,
      event: 'transaction.auth.qualified',
      offerId: OFFER,
      headers: { 'X-Team': 'payments' },
    })
    const sent = {
      event: 'transaction.auth.qualified',
      url: url(),
      headers: { 'X-Team': 'payments' },
      offerId: OFFER,
    }
    expect(service.called(/./)).toMatchObject([
      {
        method: 'POST',
        path: `/v1/programs/${PROGRAM}/hooks`,
        headers: { 'service-key': KEY, 'content-type': 'application/json' },
      },
    ])
    expect(service.called(/./)[0]?.body).toEqual(sent)
    expect(hook).toMatchObject({
      ...sent,
      remoteId: otherHookId(1),
      kind: 'program',
      programId: PROGRAM,
      environment: name,
      mode: 'test',
      path: '/h/registration',
      status: 'active',
      secretHint: '…6789',
      record: {
        meta: { requestId: 'req-1', id: 'not-the-hook' },
        webhook: { futureField: { deep: ['kept', 12.5, null] } },
      },
    })
    expect(JSON.stringify(hook)).not.toContain('other-secret')
    expect(await app.call('hooks.reveal', { id: hook.id })).toEqual({
      secret: 'other-secret-1-0123456789',
    })
  })

  test('a brand hook: only event and url; a program given for it is ignored, with a notice', async () => {
    const added = await addAnywhere({ event: 'brand.consent' })
    expect(service.called(/./)).toMatchObject([{ method: 'POST', path: '/v1/hooks' }])
    expect(service.called('/v1/hooks')[0]?.body).toEqual({ event: 'brand.consent', url: url() })
    expect(rules(added)).toContain('program-left-out')
    expect(added.hook.programId).toBeNull()
    const changed = await update(added.hook.id, { programId: PROGRAM })
    const [put] = service.called(/^\/v1\/hooks\//)
    expect(put?.method).toBe('PUT')
    expect(put?.body).toEqual({ event: 'brand.consent', url: url(), headers: {} })
    expect(rules(changed)).toContain('program-left-out')
    expect(changed.hook.programId).toBeNull()
  })

  test('a violation of a rule is rejected before anything is sent, each finding with its section', async () => {
    const name = await environment()
    const error = await refusal(
      add({
        environment: name,
        url: 'http://example.com/',
        programId: undefined,
        offerId: OFFER,
        headers: { Host: 'x' },
      }),
    )
    expect(error.code).toBe('INVALID_HOOK')
    expect(error.details).toMatchObject([
      { rule: 'url-https', section: '2.1' },
      { rule: 'program-required', section: '2.1' },
      { rule: 'offer-event', section: '4.2' },
      { rule: 'header-name-blocked', section: '4.3' },
    ])
    expect(service.calls).toHaveLength(0)
    expect(await hooksOf(name)).toEqual([])
  })

  test('an event that the spec does not list is registered with a warning, with and without a program', async () => {
    const name = await environment()
    const event = 'card.verification.failed'
    const made = await add({ environment: name, event })
    expect([made.hook.kind, rules(made)]).toEqual(['program', ['event-unknown', 'url-not-public']])
    const account = await add({ environment: name, event, programId: undefined })
    expect(account.hook.kind).toBe('brand')
    expect(service.called(/./).map(({ path }) => path)).toEqual([
      `/v1/programs/${PROGRAM}/hooks`,
      '/v1/hooks',
    ])
    await update(account.hook.id, { url: `${url()}/moved` })
    await expect(add({ environment: 'sandbox-test', event })).rejects.toThrow(/Unknown event type/)
  })

  test("ten imports of one URL only cause a warning that the account may be full, and deleted hooks don't count", async () => {
    const name = await environment()
    const imported = {
      event: 'transaction.auth',
      url: url(),
      secret: 'imported-0123456789',
      programId: PROGRAM,
      environment: name,
    }
    const full: string[] = []
    for (let count = 0; count < 10; count++)
      full.push((await app.call('hooks.import', { ...imported, secret: `imported-${count}` })).id)
    const another = await app.call('hooks.import', { ...imported, programId: OTHER_PROGRAM })
    expect(another.warnings).toEqual([])
    const eleventh = await app.call('hooks.import', imported)
    const limit = { rule: 'url-limit', section: '8', field: 'url' }
    expect(eleventh.warnings).toEqual([
      {
        ...limit,
        message:
          'The service allows 10 hooks per event and program, and you already have that many. Check there that it has this one.',
      },
    ])
    await remove(eleventh.id)
    const checked = await app.call('hooks.check', {
      event: 'transaction.auth',
      programId: PROGRAM,
      environment: name,
    })
    expect(checked.findings).toEqual([])
    expect(checked.warnings).toMatchObject([
      { ...limit, message: expect.stringContaining('may reject this one') },
      { rule: 'url-not-public' },
    ])
    const added = await add({ environment: name })
    expect([added.hook.status, rules(added)]).toEqual(['active', ['url-limit', 'url-not-public']])
    const changed = await update(added.hook.id, { headers: { 'X-Team': 'a' } })
    expect(rules(changed)).toEqual(['url-limit', 'url-not-public'])
    for (const id of [added.hook.id, ...full.slice(0, 2)]) await remove(id)
    expect(rules(await add({ environment: name }))).toEqual(['url-not-public'])
  })

  test('a secret that is too long is refused by name, and a response that was cut is called cut; the hook is stored', async () => {
    const answers = [
      { secretKey: 'k'.repeat(60_000) },
      { secretKey: 'cut-secret-0123456789', filling: 'x'.repeat(70_000) },
    ]
    service = await start({ record: ({ id }) => ({ id, ...answers.shift() }) })
    const name = await environment()
    const messages = async () =>
      (await add({ environment: name })).warnings
        .filter(({ rule }) => rule !== 'url-not-public')
        .map(({ rule, message }) => `${rule}: ${message}`)
    expect(await messages()).toEqual([
      'secret-length: Its secretKey has 60,000 characters, but a secret has at most 1,000 characters. Correct it at the service.',
    ])
    expect(await messages()).toEqual([
      'secret-missing: The service returned more than 65.5 kB, so its response was cut. Add the secret with "hooks rotate".',
      "id-missing: The service returned more than 65.5 kB, so its response was cut. Without its ID, this hook can't be changed or deleted here.",
    ])
    expect(await hooksOf(name)).toMatchObject([
      { remoteId: otherHookId(1), secretHint: null, record: null },
      { remoteId: null, secretHint: null, record: null },
    ])
  })

  test('a response without secretKey, or for the other mode, is stored, with a warning; the secret can be added later', async () => {
    service = await start({ record: ({ id }) => ({ id, live: true }) })
    const made = await addAnywhere()
    expect(rules(made)).toEqual(expect.arrayContaining(['secret-missing', 'mode-mismatch']))
    expect(made.hook).toMatchObject({
      status: 'unconfirmed',
      remoteId: otherHookId(1),
      secretHint: null,
    })
    expect((await refusal(app.call('hooks.reveal', { id: made.hook.id }))).code).toBe(
      'SECRET_UNREADABLE',
    )
    const rotated = await app.call('hooks.rotate', {
      id: made.hook.id,
      secret: 'given-later-0123',
    })
    expect(rotated).toMatchObject({ status: 'active', secretHint: '…0123', previousSecrets: 0 })
  })

  test("a response without an ID is stored, and the hook can't be changed from here", async () => {
    service = await start({
      record: ({ secret }) => ({ secretKey: secret, programId: PROGRAM, topic: 'x' }),
    })
    const made = await addAnywhere()
    expect(made.hook.remoteId).toBeNull()
    expect(rules(made)).toContain('id-missing')
    const error = await refusal(update(made.hook.id, { headers: {} }))
    expect(error.message).toContain('--remote-id')
  })
})

describe('changing and deleting', () => {
  beforeEach(async () => {
    service = await start()
  })

  test('PUT sends programId, event, url and headers; fields not given keep their last known values', async () => {
    const headers = { 'X-Team': 'payments' }
    const { hook } = await addAnywhere({ headers })
    const last = () => service.called(`/v1/hooks/${otherHookId(1)}`).at(-1)

    const moved = { url: `${url()}/moved?x=%20` }
    expect((await update(hook.id, moved)).hook).toMatchObject({
      ...moved,
      path: '/h/registration/moved?x=%20',
    })
    expect(last()?.method).toBe('PUT')
    const before = { programId: PROGRAM, event: 'transaction.auth', headers }
    expect(last()?.body).toEqual({ ...before, ...moved })
    const other = { event: 'card.linked', programId: OTHER_PROGRAM }
    await update(hook.id, other)
    expect(last()?.body).toEqual({ ...other, ...moved, headers })
    const cleared = await update(hook.id, { headers: {} })
    expect(last()?.body).toEqual({ ...other, ...moved, headers: {} })
    expect(cleared.hook).toMatchObject({
      ...other,
      headers: {},
      record: { webhook: { revision: 2 } },
    })
    // Fields that a change omits are still known from the creation.
    expect(await app.call('hooks.reveal', { id: hook.id })).toEqual({
      secret: 'other-secret-1-0123456789',
    })
  })

  test('a secret in the response to a change becomes the current one', async () => {
    service = await start({ changed: ({ id }) => ({ id, secretKey: 'renewed-secret-4321' }) })
    const { hook } = await addAnywhere()
    const { hook: changed } = await update(hook.id, { url: `${url()}/2` })
    expect(changed).toMatchObject({ secretHint: '…4321', previousSecrets: 1 })
    expect(JSON.stringify(changed.record)).not.toContain('renewed')
  })

  test('an empty response is enough', async () => {
    service = await start({ changed: () => undefined })
    const { hook } = await addAnywhere()
    const { hook: changed } = await update(hook.id, { url: `${url()}/2` })
    expect(changed).toMatchObject({ url: `${url()}/2`, status: 'active', record: hook.record })
  })

  test('deleting sends DELETE; the record and its secret stay', async () => {
    const name = await environment()
    const { hook } = await add({ environment: name })
    expect((await remove(hook.id)).status).toBe('deleted')
    expect(service.called(/^\/v1\/hooks\//)).toMatchObject([
      { method: 'DELETE', path: `/v1/hooks/${otherHookId(1)}`, body: null },
    ])
    expect(service.hooks.size).toBe(0)
    expect(await hooksOf(name)).toMatchObject([
      { id: hook.id, status: 'deleted', secretHint: '…6789' },
    ])
    expect((await refusal(update(hook.id, { headers: {} }))).message).toContain('deleted')
    await remove(hook.id)
    expect(service.called(/^\/v1\/hooks\//)).toHaveLength(1)
  })

  test.each([404, 410])(
    'a hook deleted elsewhere is marked as gone after a %i to a change or deletion',
    async (status) => {
      const name = await environment()
      const { hook: first } = await add({ environment: name })
      const { hook: second } = await add({ environment: name, url: `${url()}/2` })
      service.interrupt({ status, body: 'not here' }, { status, body: '' })
      expect(await refusal(update(first.id, { headers: {} }))).toMatchObject({
        message: expect.stringContaining(String(status)),
        details: { status, body: 'not here', sent: { method: 'PUT' } },
      })
      expect((await remove(second.id)).status).toBe('gone')
      expect(await hooksOf(name)).toMatchObject([{ status: 'gone' }, { status: 'gone' }])
    },
  )

  test('a 404 to a change with another program proves nothing about the hook: it stays, and the response is shown', async () => {
    const name = await environment()
    const { hook } = await add({ environment: name })
    const answer = { status: 404, body: '{"fault":"no such program"}' }
    service.interrupt(answer)
    const error = await refusal(update(hook.id, { programId: OTHER_PROGRAM }))
    expect(error).toMatchObject({ code: 'SERVICE_REFUSED', details: answer })
    expect(await hooksOf(name)).toMatchObject([{ status: 'active', programId: PROGRAM }])
  })
})

describe('failures', () => {
  beforeEach(async () => {
    service = await start()
  })

  test('of a registration are shown with status, body and request, and leave no hook', async () => {
    const name = await environment()
    const body = '{ "fault" : { "code": 12345678901234567890 } }\n'
    service.interrupt({ status: 422, body })
    expect(await refusal(add({ environment: name }))).toMatchObject({
      code: 'SERVICE_REFUSED',
      message: expect.stringMatching(/422.*12345678901234567890/s),
      details: { status: 422, body, sent: { method: 'POST', body: { url: url() } } },
    })
    expect(await hooksOf(name)).toEqual([])
  })

  test.each([['hang'], ['drop']] as const)(
    'a creation without a response (%s) leaves a hook that may exist',
    async (interruption) => {
      const name = await environment(interruption === 'hang' ? { timeoutMs: 300 } : {})
      service.interrupt(interruption)
      const error = await refusal(add({ environment: name }))
      expect(error.code).toBe(interruption === 'hang' ? 'SERVICE_TIMEOUT' : 'SERVICE_UNREACHABLE')
      expect(error.message).toContain('may exist')
      const [hook, ...others] = await hooksOf(name)
      expect(others).toEqual([])
      expect(hook).toMatchObject({
        status: 'unconfirmed',
        remoteId: null,
        secretHint: null,
        url: url(),
      })
      expect(error.message).toContain(hook?.id)
      expect((await remove(hook?.id ?? '')).status).toBe('deleted')
    },
  )

  test('an unreachable service leaves no hook', async () => {
    const name = await environment({ baseUrl: 'https://127.0.0.1:9' })
    const error = await refusal(add({ environment: name }))
    expect(error.code).toBe('SERVICE_UNREACHABLE')
    // About the service, not about the user's endpoint.
    expect(error.message).toContain('Check the base URL')
    expect(await hooksOf(name)).toEqual([])
  })

  test("an unknown certificate authority isn't trusted", async () => {
    const name = await environment({ caPem: null })
    const error = await refusal(add({ environment: name }))
    expect(error).toMatchObject({ code: 'SERVICE_UNREACHABLE', details: { kind: 'certificate' } })
    expect(error.message).toContain("the environment's CA certificate")
    expect(error.message).not.toContain('Node.js')
    expect(service.calls).toHaveLength(0)
    await app.call('environments.update', { name, caPem: tls.caPem })
    expect((await add({ environment: name })).hook.status).toBe('active')
  })
})

test('if a proxy is unreachable, the message names the proxy, not the service', async () => {
  service = await start()
  const name = await environment({ proxy: 'http://127.0.0.1:9' })
  const { message } = await refusal(add({ environment: name }))
  expect(message).toContain('the proxy 127.0.0.1:9')
  expect(message).not.toContain(new URL(service.origin).host)
})

test('calls go through the configured proxy', async () => {
  service = await start()
  const asked: string[] = []
  const tunnels = new Set<Socket>()
  const proxy: Server = createServer()
  proxy.on('connect', (request, socket, head) => {
    asked.push(request.url ?? '')
    const { port } = new URL(service.origin)
    const far = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      far.write(head)
      far.pipe(socket)
      socket.pipe(far)
    })
    for (const end of [far, socket as Socket]) {
      tunnels.add(end)
      end.on('error', () => end.destroy())
    }
  })
  const port = await listen(proxy)
  try {
    const name = await environment({
      baseUrl: 'https://localhost:1',
      proxy: `http://127.0.0.1:${port}`,
    })
    expect((await add({ environment: name })).hook.remoteId).toBe(otherHookId(1))
    expect(asked).toEqual(['localhost:1'])
  } finally {
    for (const socket of tunnels) socket.destroy()
    await new Promise((resolve) => proxy.close(resolve))
  }
})

describe('bearer authentication', () => {
  const jwt = (claims: object) =>
    ['{"alg":"none"}', JSON.stringify(claims), 'signature']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.')
  const asked = () => service.called('/oauth/token').map(({ body }) => body)
  const accounts = { clientId: 'client-1', clientSecret: 'client-secret-0123456789' }
  let valid: Set<string>
  let issued: number

  async function bearer(overrides: Partial<InputOf<'environments.add'>> = {}): Promise<string> {
    valid = new Set()
    issued = 0
    service = await start({
      authenticates: (headers) =>
        valid.has(headers['authentication']?.replace(/^Bearer /, '') ?? ''),
      token({ client_id: id, client_secret: secret }) {
        if (id !== accounts.clientId || secret !== accounts.clientSecret)
          return { status: 403, body: { why: 'unknown client' } }
        const token = jwt({ sub: id, count: ++issued })
        valid.add(token)
        return { status: 200, body: { access_token: token, expires_in: 3_600 } }
      },
    })
    return environment({
      auth: 'bearer',
      ...accounts,
      tokenUrl: `${service.origin}/oauth/token`,
      ...overrides,
    })
  }

  test('a 401 causes one new token request, and only one', async () => {
    const name = await bearer()
    await add({ environment: name })
    valid.clear()
    await add({ environment: name, url: `${url()}/2` })
    expect(asked()).toHaveLength(2)
    service.interrupt(
      { status: 401, body: 'no' },
      { status: 200, body: '{"access_token":"x"}' },
      { status: 401, body: 'no again' },
    )
    const error = await refusal(add({ environment: name, url: `${url()}/3` }))
    expect(error.details).toMatchObject({ status: 401, body: 'no again' })
    expect(asked()).toHaveLength(3)
  })

  test("if the token endpoint doesn't respond, no hook may exist: nothing was sent", async () => {
    const name = await bearer({ timeoutMs: 300 })
    service.interrupt('hang')
    const error = await refusal(add({ environment: name }))
    expect(error.message).not.toContain('may exist')
    expect(await hooksOf(name)).toEqual([])
  })
})
