import { describe, expect, test, vi } from 'vitest'
import type { CommandName } from '../../shared/contract/contract.ts'
import type { HandlerContext, Handlers } from '../../shared/rpc/router.ts'
import { withLiveChanges } from './live-changes.ts'
import type { Services } from './services.ts'

const pending = { id: 'sent', mode: 'live', state: 'pending' }
const hook = { id: 'hook', environment: 'production', status: 'active', url: 'https://a.example/h' }

/**
 * Services with live environments, of which `production` is the current one, and the test ones of
 * the sandbox and `staging`.
 */
function servicesWith({ hooks = [hook], notifications = [pending] } = {}) {
  const list = (environment?: string) =>
    hooks.filter((one) => environment === undefined || one.environment === environment)
  const services = {
    hooks: { get: () => hook, list },
    environments: {
      get: (name = 'production') => ({
        name,
        mode: name === 'sandbox-test' || name === 'staging' ? 'test' : 'live',
      }),
    },
    sandbox: () => ({ notifications: () => notifications, clearings: () => [] }),
  }
  return services as unknown as Services
}

/** Calls a command with consent to these environments. Resolves with whether it ran. */
async function runs(
  command: CommandName,
  input: object,
  live: HandlerContext['consent']['live'] = [],
  services = servicesWith(),
): Promise<boolean> {
  const handler = vi.fn(() => Promise.resolve({}))
  const handlers = withLiveChanges({ [command]: handler } as unknown as Handlers, services)
  const context = {
    signal: new AbortController().signal,
    isWindow: true,
    consent: { allowHosts: [], live },
  }
  const run = handlers[command] as (given: object, context: HandlerContext) => Promise<unknown>
  await run(input, context)
  return handler.mock.calls.length === 1
}

const production = { environment: 'production' }
const sandbox = { environment: 'sandbox-live' }
const changes: readonly (readonly [CommandName, object, string])[] = [
  ['hooks.import', production, 'production'],
  ['hooks.import', {}, 'production'],
  ['hooks.add', sandbox, 'sandbox-live'],
  ['hooks.update', { id: 'hook' }, 'production'],
  ['hooks.remove', { id: 'hook', purge: false }, 'production'],
  ['hooks.remove', { id: 'hook', purge: true }, 'production'],
  ['hooks.rotate', { id: 'hook' }, 'production'],
  ['hooks.answer', { id: 'hook' }, 'production'],
  ['hooks.repoint', { from: 'https://a.example' }, 'production'],
  ['hooks.sync', production, 'production'],
  ['environments.update', { name: 'production' }, 'production'],
  ['environments.use', { name: 'production' }, 'production'],
  ['environments.check', {}, 'production'],
  ['environments.remove', { name: 'unused' }, 'unused'],
  ['sandbox.trigger', { event: 'card.linked', ...sandbox }, 'sandbox-live'],
  ['sandbox.create', { kind: 'brand', ...sandbox }, 'sandbox-live'],
  ['sandbox.update', { id: 'object', ...sandbox }, 'sandbox-live'],
  ['sandbox.reset', {}, 'sandbox-live'],
  ['sandbox.send', { id: 'sent' }, 'sandbox-live'],
  ['sandbox.setClock', { action: 'jump', ms: 1 }, 'sandbox-live'],
  ['sandbox.setClock', { action: 'resume' }, 'sandbox-live'],
]

describe('a live environment', () => {
  test.each(changes)(
    '%s %j runs only with consent, which the error names',
    async (name, input, environment) => {
      await expect(runs(name, input, ['another'])).rejects.toMatchObject({
        code: 'CONFIRMATION_REQUIRED',
        message: expect.stringMatching(new RegExp(`^${environment} is a live .* add --live\\.$`)),
        details: { environments: [environment] },
      })
      expect(await runs(name, input, true)).toBe(true)
      expect(await runs(name, input, [environment])).toBe(true)
    },
  )
})

test.each<[CommandName, object, Parameters<typeof servicesWith>[0]]>([
  ['hooks.add', { environment: 'staging' }, {}],
  ['hooks.repoint', { from: 'https://b.example' }, {}],
  ['environments.use', { name: 'staging' }, {}],
  // Its hooks prevent it anyway.
  ['environments.remove', { name: 'production' }, {}],
  ['sandbox.trigger', { event: 'card.linked' }, {}],
  ['sandbox.send', { id: 'sent' }, { notifications: [{ ...pending, mode: 'test' }] }],
  ['sandbox.setClock', { action: 'pause' }, {}],
  ['sandbox.setClock', { action: 'jump', ms: 1 }, { notifications: [] }],
])('%s %j needs no consent without something live', async (name, input, services) => {
  expect(await runs(name, input, [], servicesWith(services))).toBe(true)
})
