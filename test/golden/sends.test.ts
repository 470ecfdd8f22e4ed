/**
 * The golden table of sends: what each command decides for each target, signing secret and consent,
 * stored in `sends.md`. Core, store, TLS and HTTP are real. Only the network beyond this computer
 * is fake: names resolve by the table below, and every connection is recorded and then made to this
 * computer.
 */
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { AppError } from '../../src/shared/contract/errors.ts'
import { signatureOf, signedHeaders } from '../support/deliver.ts'
import { startEndpoint, type Endpoint, type ReceivedCall } from '../support/https-endpoint.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { endOf } from '../support/replay-fixture.ts'
import type { TestCore } from '../support/test-core.ts'
import type * as undici from 'undici'
import { cliOfFile } from '../integration/cli-fixture.ts'
import { sandboxWays } from './sandbox-ways.ts'

const PUBLIC = '192.0.2.1'
const PRIVATE = '10.0.0.1'
/** Used by the sandbox's hooks only. */
const CUSTOMER = '192.0.2.2'

const cli = cliOfFile()

const network = vi.hoisted(() => ({
  /** Names resolved since the last request to them. */
  moved: new Set<string>(),
  /** Addresses of attempted connections, by requested host. */
  connected: [] as string[],
}))

function addressesOf(name: string): string[] {
  if (name.endsWith('.moves.example')) return [network.moved.has(name) ? PUBLIC : '127.0.0.1']
  const known: Record<string, string[]> = {
    localhost: ['127.0.0.1'],
    'here.example': ['127.0.0.1'],
    'both.example': [PUBLIC, '127.0.0.1'],
    'private.example': [PRIVATE],
    'public.example': [PUBLIC],
    'customer.example': [CUSTOMER],
  }
  const addresses = known[name]
  if (addresses === undefined)
    throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' })
  return addresses
}

vi.mock('node:dns/promises', () => ({
  lookup: (name: string) =>
    Promise.try(() => addressesOf(name).map((address) => ({ address, family: 4 }))),
}))
vi.mock('undici', async (original) => {
  const real = await original<typeof undici>()
  return {
    ...real,
    buildConnector: (
      options: undici.buildConnector.BuildOptions,
    ): undici.buildConnector.connector => {
      const connect = real.buildConnector(options)
      return (wanted, callback) => {
        network.connected.push(wanted.hostname)
        connect({ ...wanted, hostname: '127.0.0.1' }, callback)
      }
    },
  }
})

/** The signer: a hook of a test or live environment, or a secret without a hook. */
const signers = {
  test: { hook: 'test', secret: 'whsec_test_0123456789abcdef' },
  live: { hook: 'live', secret: 'whsec_live_0123456789abcdef' },
  unknown: { hook: 'unknown', secret: 'whsec_unknown_0123456789abcd' },
} as const
type Signer = keyof typeof signers

interface Hook {
  readonly slug: string
  readonly secret: string
}
/**
 * Returns the hook to forward, because deliveries that other commands send to the receiver would be
 * forwarded too.
 */
const forwardedBy = (signer: Signer): Hook => ({
  slug: `forwarded-${signer}`,
  secret: `${signers[signer].secret}-forwarded`,
})
const hookOf = (signer: Signer): Hook => ({
  slug: signers[signer].hook,
  secret: signers[signer].secret,
})

/** No consent comes first. Live consent alone only matters for a live secret. */
const consents = {
  none: { host: false, live: false },
  'allow-host': { host: true, live: false },
  live: { host: false, live: true },
  both: { host: true, live: true },
} as const
type ConsentName = keyof typeof consents
const consentsOf = (signer: Signer): ConsentName[] =>
  signer === 'live' ? ['none', 'allow-host', 'live', 'both'] : ['none', 'allow-host', 'both']

interface Sending {
  readonly signer: Signer
  readonly target: string
  readonly targetCa: string | null
  readonly allowHosts: string[]
  readonly live: boolean
}

let core: TestCore
let handler: Endpoint
let lure: Endpoint
let certificate: { readonly cert: string; readonly key: string }
const deliveries: Record<Signer, string> = { test: '', live: '', unknown: '' }
let deliver: (hook: Hook) => Promise<void>

const urlOf = ({ slug }: Hook) => `${core.receiver}/h/${slug}`

async function makeCertificate() {
  x509.cryptoProvider.set(webcrypto)
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify'])
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=golden',
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 3_600_000),
    signingAlgorithm,
    keys,
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        ...['here', 'both', 'private', 'public', 'customer', '*.moves'].map((name) => ({
          type: 'dns' as const,
          value: `${name}.example`,
        })),
        // The fake network's destination.
        { type: 'ip', value: '127.0.0.1' },
      ]),
    ],
  })
  const key = x509.PemConverter.encode(
    await webcrypto.subtle.exportKey('pkcs8', keys.privateKey),
    'PRIVATE KEY',
  )
  return { cert: made.toString('pem'), key }
}

beforeAll(async () => {
  certificate = await makeCertificate()
  lure = await startEndpoint(certificate)
  handler = await startEndpoint(certificate, (number) => (request, response) => {
    const name = new URL(`https://${request.headers.host ?? ''}`).hostname
    if (name.endsWith('.moves.example')) network.moved.add(name)
    const [, kind = ''] = handler.calls[number - 1]?.path.split('/') ?? []
    const status = kind === 'fails' ? 500 : kind.startsWith('redirects') ? 302 : 200
    const location =
      kind === 'redirects-away' ? `https://${PUBLIC}:${new URL(lure.origin).port}/` : lure.origin
    // Each request has its own connection, so that each resolves the name again.
    response
      .writeHead(status, { connection: 'close', ...(status === 302 ? { location } : {}) })
      .end()
  })
  core = await coreInFolder()
  for (const name of ['sandbox-test', 'sandbox-live'])
    await core.call('environments.update', { name, caPem: certificate.cert, live: true })
  for (const signer of ['test', 'live'] as const)
    for (const hook of [hookOf(signer), forwardedBy(signer)]) {
      const environment = `sandbox-${signer}`
      const input = {
        event: 'card.linked',
        url: urlOf(hook),
        secret: hook.secret,
        environment,
        live: true,
      }
      await core.call('hooks.import', input)
    }
  deliver = async (hook) => {
    const url = urlOf(hook)
    await core.send(url, { body: '{}', headers: signedHeaders(hook.secret, '{}', url) })
  }
  for (const signer of ['test', 'live', 'unknown'] as const) {
    await deliver(hookOf(signer))
    deliveries[signer] = (await core.latest()).id
  }
  return () => {}
})
afterAll(async () => {
  expect(core.bugs).toEqual([])
  await Promise.all([handler.close(), lure.close()])
})

/** Resolves with the ID of the hook that signs. A delivery without a hook is signed by none. */
async function hookIdOf(signer: Signer): Promise<string | undefined> {
  const { hooks } = await core.call('hooks.list', {})
  return hooks.find(({ path }) => path === `/h/${signer}`)?.id
}

async function until<T>(read: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await read()
    if (found !== null) return found
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** A status, the reason for no response (`not-allowed`), or that nothing was sent (`not-sent`). */
type Received = string | number | null

/**
 * Commands that each send and return the result of each request, in order. They reject if refused.
 */
const commands: Record<string, (sending: Sending) => Promise<Received[]>> = {
  async replay({ signer, target, targetCa, allowHosts, live }) {
    const input = { ids: [deliveries[signer]], to: target, repeat: 2, targetCa, allowHosts, live }
    const { replay } = await core.call('replay.start', input)
    const { sends } = await endOf(core.client, replay.id)
    return sends.map(({ state, status, errorKind }) =>
      state === 'settled' ? (status ?? errorKind) : state,
    )
  },

  async 'replay (checked before several)'({ signer, target, targetCa, allowHosts, live }) {
    await core.call('replay.check', {
      parts: [{ ids: [deliveries[signer]], to: target, targetCa }],
      allowHosts,
      live,
    })
    return []
  },

  async shrink({ signer, target, targetCa, allowHosts, live }) {
    // Ends at the first request that doesn't fail.
    const to = target.replace('/accepts/', '/fails/')
    const input = { id: deliveries[signer], to, maxSends: 10, targetCa, allowHosts, live }
    const { run } = await core.call('shrink.start', input)
    return until(async () => {
      const { failure, run: now } = await core.call('shrink.get', { runId: run.id })
      if (now.outcome === null) return null
      if (now.outcome === 'passes') return [200]
      return [
        now.failure?.status ?? now.failure?.kind ?? now.message,
        failure?.status ?? failure?.kind ?? now.message,
      ]
    })
  },

  async forward({ signer, target: url, targetCa, allowHosts, live }) {
    const hook = forwardedBy(signer)
    const query = signer === 'unknown' ? `path:/h/${hook.slug}` : `hook:${hook.slug}`
    const { target } = await core.call('forward.add', {
      url,
      query,
      targetCa,
      // Other targets have the consent that the window keeps.
      temporary: true,
      allowHosts,
      live,
    })
    const now = async () =>
      (await core.call('forward.list', {})).targets.find(({ id }) => id === target.id) ?? target
    for (const passed of [1, 2]) {
      await deliver(hook)
      await until(async () => {
        const { light, ...counted } = await now()
        return counted.passed >= passed || light === 'failing' || light === 'down' ? light : null
      })
    }
    const { light, problem } = await now()
    const { sends } = await core.call('forward.sends', { id: target.id })
    await core.call('forward.remove', { id: target.id })
    const tried = sends.filter(({ status }) => status !== null).map(({ status }) => status)
    return light === 'down' ? [...tried, problem] : tried
  },

  async check({ signer, target, targetCa, allowHosts, live }) {
    const hookId = await hookIdOf(signer)
    const by = hookId === undefined ? { secret: signers[signer].secret } : { hookIds: [hookId] }
    const input = {
      target,
      ...by,
      only: ['first-delivery', 'retry'],
      rate: 10_000,
      targetCa,
      allowHosts,
      live,
    }
    const { run } = await core.call('check.start', input)
    const { results } = await until(async () => {
      const { run: now } = await core.call('check.get', { runId: run.id })
      return now.state === 'running' ? null : now
    })
    return results.flatMap(({ exchanges }) =>
      exchanges.map(({ got }) => got.status ?? got.errorKind),
    )
  },

  async trigger({ signer, target: url, allowHosts, live }) {
    const environment = `sandbox-${signer}`
    const hook = { event: 'brand.consent', url, secret: signers[signer].secret, environment }
    const { id } = await core.call('hooks.import', { ...hook, live: true })
    const sent: Received[] = []
    try {
      for (const _ of [1, 2]) {
        const input = { event: hook.event, environment, allowHosts, live }
        const triggered = await core.call('sandbox.trigger', input)
        for (const { attempts, state } of triggered.deliveries)
          sent.push(attempts.at(-1)?.status ?? attempts.at(-1)?.error ?? state)
      }
    } catch (error) {
      if (sent.length === 0) throw error
      sent.push(refusalWord(error) === 'needs allow-host' ? 'not-allowed' : refusalWord(error))
    } finally {
      await core.call('hooks.remove', { id, live: true })
    }
    return sent
  },

  'flow run': (sending) => runFlow('duplicate', sending),
  'flow run of live mode': (sending) => runFlow('program-sync-live', sending),
}

async function runFlow(
  name: string,
  { signer, target: url, targetCa, allowHosts, live }: Sending,
): Promise<Received[]> {
  const input = {
    name,
    handler: { url, secret: signers[signer].secret, targetCa },
    allowHosts,
    live,
  }
  const { run } = await core.call('flows.start', input)
  const { steps } = await until(async () => {
    const { run: now } = await core.call('flows.run', { runId: run.id })
    return now.endedAt === null ? null : now
  })
  // As `200 after 5 ms`, or why there was no response.
  return steps
    .filter(({ kind }) => kind === 'answer')
    .map(({ got, message }) =>
      got !== null && /^\d/.test(got) ? Number.parseInt(got) : (got ?? message),
    )
}

interface Target {
  readonly name: string
  /** The URL in a cell, and the hosts that the consent names. */
  readonly url: (cell: string) => string
  readonly host: string
  /** Always verified, like endpoints of other computers. */
  readonly isRemote?: boolean
  /**
   * Tested with every secret and in live mode. The others are tested with the test hook's secret.
   */
  readonly isEssential?: boolean
}

function targets(): Target[] {
  const { port } = new URL(handler.origin)
  const control = new URL(core.core.control?.url ?? '')
  const local = (name: string, kind: string): Target => ({
    name,
    url: (cell) => `${handler.origin}/${kind}/${cell}`,
    host: '127.0.0.1',
  })
  const named = (name: string, host: string, isRemote = false): Target => ({
    name,
    url: (cell) => `https://${host}:${port}/accepts/${cell}`,
    host,
    isRemote,
  })
  return [
    {
      name: "Countersign's own receiver",
      url: (cell) => `${core.receiver}/own/${cell}`,
      host: '127.0.0.1',
      isEssential: true,
    },
    {
      name: "Countersign's own control port",
      url: () => `http://127.0.0.1:${control.port}/`,
      host: '127.0.0.1',
      isEssential: true,
    },
    { ...local('handler on loopback', 'accepts'), isEssential: true },
    local('handler that redirects to loopback', 'redirects'),
    local('handler that redirects to another computer', 'redirects-away'),
    named('name of loopback', 'here.example'),
    named('name of loopback and of a public address', 'both.example'),
    {
      name: 'name that leaves loopback after the first request',
      url: (cell) => `https://${cell}.moves.example:${port}/accepts/${cell}`,
      host: 'other.example',
      isEssential: true,
    },
    named('name of a private address', 'private.example', true),
    { ...named('name of a public address', 'public.example', true), isEssential: true },
    named('public address', PUBLIC, true),
    named('name without an address', 'nowhere.example', true),
    {
      name: 'URL with a user before the host',
      url: () => `https://127.0.0.1@${PUBLIC}/`,
      host: PUBLIC,
    },
    { name: 'no URL', url: () => 'handler', host: 'handler' },
  ]
}

/** Whether the request has a signature with this secret, by this test's own implementation. */
function signatureWords(call: ReceivedCall | undefined, signer: Signer): string {
  if (call === undefined) return ''
  const given = call.headers['x-service-signature']
  const timestamp = call.headers['x-service-timestamp'] ?? ''
  if (given === undefined) return ', unsigned'
  const target = `https://${call.headers['host']}${call.path}`
  const [own, forwarded] = [hookOf(signer), forwardedBy(signer)]
  const isSigned = [
    [own.secret, urlOf(own)] as const,
    [own.secret, target] as const,
    [forwarded.secret, urlOf(forwarded)] as const,
  ].some(([secret, url]) => given === signatureOf(secret, call.body, url, timestamp))
  return isSigned ? ', signed' : ', signed otherwise'
}

function wordOf(received: Received): string {
  if (received === 200 || received === 500) return 'sent'
  if (received === 302) return 'sent, redirect not followed'
  const words = String(received)
  if (words === 'not-allowed' || words.includes('--allow-host')) return 'not allowed'
  // A message, which may change.
  return words.includes(' ') ? 'failed' : words
}

function refusalWord(error: unknown): string {
  if (!(error instanceof AppError)) throw error
  const { details, code } = error
  const named: Record<string, unknown> =
    typeof details === 'object' && details !== null ? { ...details } : {}
  if (code === 'CONFIRMATION_REQUIRED' && 'environment' in named) return 'needs live'
  if (code === 'TARGET_NOT_ALLOWED') return 'host' in named ? 'needs allow-host' : 'own port'
  return code
}

let cells = 0

async function decide(
  name: string,
  signer: Signer,
  target: Target,
  consent: ConsentName,
): Promise<string> {
  const cell = `c${++cells}`
  const url = target.url(cell)
  const { host, live } = consents[consent]
  const allowHosts = host ? [target.host] : []
  const targetCa = target.isRemote === true ? certificate.cert : null
  try {
    const received =
      (await commands[name]?.({ signer, target: url, targetCa, allowHosts, live })) ?? []
    if (received.length === 0) return 'admitted'
    const words = received.map(wordOf).filter((word, index, all) => word !== all[index - 1])
    const call = handler.calls.find(({ path }) => path.endsWith(`/${cell}`))
    return words.join(', then ') + signatureWords(call, signer)
  } catch (error) {
    return refusalWord(error)
  }
}

/**
 * Returns the rows of one command and one signer. `–` means not tested, because less consent was
 * enough.
 */
async function tableOf(name: string, signer: Signer): Promise<string> {
  const columns = consentsOf(signer)
  const rows: string[][] = []
  const hasAll = signer === 'test' && !name.endsWith('live mode')
  for (const target of targets().filter(({ isEssential }) => hasAll || isEssential === true)) {
    const row: string[] = []
    for (const consent of columns) {
      const isDecided = row.some(
        (word) => word.startsWith('sent') || word.startsWith('not') || word === 'admitted',
      )
      row.push(isDecided ? '–' : await decide(name, signer, target, consent))
    }
    rows.push([target.name, ...row])
  }
  return tableText(['target', ...columns], rows)
}

function tableText(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, index) =>
    Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)),
  )
  const line = (parts: readonly string[]) =>
    `| ${parts.map((part, index) => part.padEnd(widths[index] ?? 0)).join(' | ')} |`
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join(
    '\n',
  )
}

const PREFACE = `# Sends: what is decided today

For each command, secret and target: what happens without consent, with consent to the host (\`allow-host\`), with consent to live
mode (\`live\`), and with both. \`–\`: less consent was enough. Made by \`sends.test.ts\`.
`

const WAYS = `## sandbox: a hook on a remote host

Every way to cause a delivery to a hook whose URL is on a remote host.
`

/** Hundreds of commands, on a busy machine. */
test('each command decides as before for each target, secret and consent', async () => {
  const parts = await Promise.all(
    Object.keys(commands).map(async (name) => {
      const tables: string[] = []
      // A live flow needs live consent, whatever its handler's secret.
      const secrets = name.endsWith('live mode')
        ? (['test'] as const)
        : name === 'trigger'
          ? (['test', 'live'] as const)
          : (['test', 'live', 'unknown'] as const)
      for (const signer of secrets)
        tables.push(`### ${name}: ${signer} secret\n\n${await tableOf(name, signer)}\n`)
      return `## ${name}\n\n${tables.join('\n')}`
    }),
  )
  const requests = () => network.connected.filter((address) => address === CUSTOMER).length
  const { rows, bugs } = await sandboxWays({
    cli,
    url: `https://customer.example:${new URL(handler.origin).port}/fails/customer`,
    caPem: certificate.cert,
    requests,
    refusalWord,
  })
  expect(bugs).toEqual([])
  parts.push(`${WAYS}\n${tableText(['cause', 'without consent', 'requests to the host'], rows)}\n`)
  await expect([PREFACE, ...parts].join('\n')).toMatchFileSnapshot('sends.md')
  expect(network.connected).toContain(PUBLIC)
  expect(network.connected).toContain(PRIVATE)
  // The redirect's target.
  expect(lure.calls).toEqual([])
})
