/** A team's setup for tests: one of everything that the setup file holds. */
import type { SetupSource } from '../../src/shared/model/setup.ts'
import { makeTestTls } from './tls.ts'
import type { TestCore } from './test-core.ts'

export const TEAM_SECRETS = {
  key: 'sk_test_of_the_team_0123456789',
  clientSecret: 'client_secret_of_the_team_0123456789',
  purchases: 'whsec_of_purchases_0123456789',
  refunds: 'whsec_of_refunds_0123456789',
  header: 'header_value_of_the_team_0123456789',
  handler: 'secret_of_the_handler_0123456789',
} as const

export const PROGRAM = '0d5c3a52-6c0e-4a52-9f58-1f0a5d2b7a01'

export const FLOW = JSON.stringify({
  flow: 1,
  name: 'coffee',
  title: 'A coffee is paid',
  steps: [
    { kind: 'trigger', event: 'transaction.auth', set: { amount: 4.5 } },
    { kind: 'delivery', event: 'transaction.auth', where: { amount: 4.5 } },
  ],
})

const ref = (env: string) => ({ env })

/** Returns a setup file with one of everything, secrets by variable. */
export async function teamSetup() {
  const { caPem } = await makeTestTls()
  return {
    countersign: 1,
    settings: { bodyLimit: 2_097_152, retention: { days: 30 }, window: { theme: 'dark' } },
    environments: [
      {
        ...{ name: 'acme-test', mode: 'test', baseUrl: 'https://api.acme.example', caPem },
        ...{ prefix: 'acme', ack: '2xx', key: ref('ACME_KEY') },
      },
      {
        ...{ name: 'next-test', mode: 'test', baseUrl: 'https://next.acme.example' },
        ...{ auth: 'bearer', clientId: 'app', tokenUrl: '/oauth/token' },
        ...{ tokenRequestFields: { scope: 'hooks' }, clientSecret: ref('ACME_CLIENT_SECRET') },
      },
    ],
    sandbox: { test: { prefix: 'acme' } },
    hooks: [
      {
        ...{ name: 'purchases', environment: 'acme-test', event: 'transaction.auth' },
        ...{ url: 'https://hooks.acme.example/purchases', programId: PROGRAM, remoteId: 'r-1' },
        secret: ref('PURCHASES_SECRET'),
        headers: { 'X-Team': ref('TEAM_HEADER') },
        response: { failFirst: 2, headers: { 'X-Answer': 'yes' } },
      },
      {
        ...{ name: 'refunds', environment: 'sandbox-test', event: 'transaction.refund' },
        ...{ url: 'https://127.0.0.1:4783/h/refunds', programId: PROGRAM },
        secret: ref('REFUNDS_SECRET'),
      },
    ],
    handlers: [
      { name: 'local', url: 'http://127.0.0.1:3000/webhooks', hook: 'purchases' },
      {
        name: 'own',
        url: 'https://127.0.0.1:3001/',
        secret: ref('HANDLER_SECRET'),
        targetCa: caPem,
      },
    ],
    forwards: [
      { name: 'to local', url: 'http://127.0.0.1:3000/webhooks', handler: 'local', on: false },
      {
        name: 'raw',
        url: '127.0.0.1:3002',
        query: 'event:card.linked',
        sign: 'as-received',
      },
    ],
    views: [
      { name: 'Refunds', query: 'event:*.refund' },
      { name: 'Big', query: 'amount:>100' },
    ],
    flows: ['flows/coffee.json'],
    current: { environment: 'acme-test', handler: 'own' },
  }
}

export const TEAM_ENV = {
  ACME_KEY: TEAM_SECRETS.key,
  ACME_CLIENT_SECRET: TEAM_SECRETS.clientSecret,
  PURCHASES_SECRET: TEAM_SECRETS.purchases,
  REFUNDS_SECRET: TEAM_SECRETS.refunds,
  TEAM_HEADER: TEAM_SECRETS.header,
  HANDLER_SECRET: TEAM_SECRETS.handler,
} as const

export const TEAM_PLACES = {
  'environments[0].key': TEAM_SECRETS.key,
  'environments[1].clientSecret': TEAM_SECRETS.clientSecret,
  'hooks[0].secret': TEAM_SECRETS.purchases,
  'hooks[0].headers.X-Team': TEAM_SECRETS.header,
  'hooks[1].secret': TEAM_SECRETS.refunds,
  'handlers[1].secret': TEAM_SECRETS.handler,
}

export function sourceOf(
  setup: object,
  secrets: SetupSource['secrets'] = TEAM_PLACES,
  files: SetupSource['files'] = { 'flows/coffee.json': FLOW },
  bodies: SetupSource['bodies'] = {},
): SetupSource {
  const file = '/work/team/countersign.json'
  return { file, text: JSON.stringify(setup), files, bodies, secrets }
}

/** Returns all that a client sees of a setup, without IDs and times. */
export async function shownSetup({ call }: Pick<TestCore, 'call'>) {
  const { environments } = await call('environments.list', { includeSecrets: true })
  const { hooks } = await call('hooks.list', {})
  const secrets: Record<string, string> = {}
  for (const { id, event } of hooks) secrets[event] = (await call('hooks.reveal', { id })).secret
  const { handlers } = await call('handlers.list', {})
  const { targets } = await call('forward.list', {})
  const { views } = await call('views.list', {})
  const nameOfHook = (id: string | null) => hooks.find((hook) => hook.id === id)?.event ?? null
  const nameOfHandler = (id: string | null) => handlers.find((one) => one.id === id)?.name ?? null
  return {
    environments: environments
      .filter(({ name }) => !name.startsWith('sandbox'))
      .map(({ name, ...rest }) => [name, rest]),
    sandbox: environments.map(({ name, prefix, caPem }) => [name, prefix, caPem]),
    hooks: hooks
      .map(({ id: _, createdAt: _at, remoteId, ...hook }) => ({
        ...hook,
        remoteId: hook.environment === 'sandbox-test' ? null : remoteId,
      }))
      .toSorted((a, b) => a.event.localeCompare(b.event)),
    secrets,
    handlers: handlers.map(({ id: _, hookId, ...rest }) => ({ ...rest, hook: nameOfHook(hookId) })),
    forwards: targets
      .map(({ name, url, query, answer, sign, on, handlerId }) => ({
        ...{ name, url, query, answer, sign, on },
        handler: nameOfHandler(handlerId),
      }))
      .toSorted((a, b) => a.name.localeCompare(b.name)),
    views: views.map(({ name, query }) => [name, query]),
    flows: (await call('flows.list', {})).flows.filter(({ builtIn }) => !builtIn),
    settings: await call('settings.get', {}),
  }
}
