/**
 * The part of the golden table about the sandbox's deliveries: every way to cause one for a hook on
 * a remote host, what happens without consent, and how many requests are sent to the host.
 */
import type { Notification } from '../../src/shared/model/notification.ts'
import type { Cli } from '../integration/cli-fixture.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { startMcp } from '../support/mcp-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { TestCore } from '../support/test-core.ts'

export interface WaysDeps {
  readonly cli: Cli
  /** URL of an endpoint on the remote host that returns 500. */
  readonly url: string
  readonly caPem: string
  requests(): number
  /** The word for an expected error. */
  refusalWord(error: unknown): string
}

const EVENT = 'brand.consent'
const MINUTE_MS = 60_000

export async function sandboxWays({ cli, url, caPem, requests, refusalWord }: WaysDeps) {
  const dataFolder = temporaryFolder()
  const host = new URL(url).hostname
  const allowHosts = [host]
  let core = await coreInFolder({ dataFolder })
  for (const name of ['sandbox-test', 'sandbox-live'])
    await core.call('environments.update', { name, caPem, live: true })

  const importHook = (hook: Partial<Parameters<TestCore['hook']>[2]> & { url?: string } = {}) =>
    core.call('hooks.import', { event: EVENT, url, secret: 'a secret', live: true, ...hook })
  const here = (event: string = EVENT) => importHook({ event, url: `${core.receiver}/h/${event}` })
  const states = (deliveries: readonly Notification[]) =>
    deliveries.map(({ state }) => state).join(', ')
  const outcome = async (call: Promise<{ deliveries: Notification[] }>) =>
    call.then(({ deliveries }) => states(deliveries), refusalWord)
  const trigger = (more = {}) => core.call('sandbox.trigger', { event: EVENT, ...more })

  /** The newest notification of an event, once it is decided. */
  async function decided(event: string): Promise<Notification> {
    for (;;) {
      const { notifications } = await core.call('sandbox.notifications', {})
      const newest = notifications.find((one) => one.event === event)
      if (newest !== undefined && newest.state !== 'pending') return newest
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  /** A first attempt with consent, which fails. */
  async function failedOnce(): Promise<void> {
    await importHook()
    await trigger({ allowHosts })
  }
  const jump = () => core.call('sandbox.setClock', { action: 'jump', ms: MINUTE_MS, live: true })
  const secondAttempt = async () => {
    await jump()
    const { state, attempts } = await decided(EVENT)
    return `attempt ${attempts.length} sent, then ${state}`
  }

  const ways: Record<string, () => Promise<string>> = {
    'sandbox.trigger': async () => {
      await importHook()
      return outcome(trigger())
    },
    'sandbox.trigger of a duplicate, with consent to another host': async () => {
      await importHook()
      return outcome(trigger({ fault: 'duplicate', allowHosts: ['other.example'] }))
    },
    'sandbox.trigger, with a hook on this computer': async () => {
      await here()
      await importHook()
      return outcome(trigger())
    },
    'sandbox.trigger, after the hook moved to the host': async () => {
      const { id } = await here()
      await core.call('hooks.update', { id, url })
      return outcome(trigger())
    },
    'sandbox.sample': async () => {
      await importHook({ event: 'transaction.auth' })
      return outcome(core.call('sandbox.sample', {}).then(({ result }) => result))
    },
    'sandbox.create': async () => {
      await importHook()
      return outcome(core.call('sandbox.create', { kind: 'brand' }))
    },
    'sandbox.update in live mode': async () => {
      const live = { environment: 'sandbox-live', live: true }
      await importHook(live)
      const { object } = await core.call('sandbox.create', { kind: 'brand', ...live })
      const set = { consent: true }
      return outcome(core.call('sandbox.update', { id: object.id, set, ...live }))
    },
    'a clearing, when the clock reaches it': async () => {
      await here('transaction.auth')
      await importHook({ event: 'transaction.clearing' })
      await trigger({ event: 'transaction.auth' })
      const [clearing] = (await core.call('sandbox.clearings', {})).clearings
      await core.call('sandbox.setClock', { action: 'set', time: clearing?.at ?? '', live: true })
      return (await decided('transaction.clearing')).state
    },
    'a flow': async () => {
      await importHook({ event: 'transaction.auth' })
      const { run } = await core.call('flows.start', { name: 'purchase-visa' })
      for (;;) {
        const { run: now } = await core.call('flows.run', { runId: run.id })
        if (now.endedAt !== null) return now.outcome ?? ''
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    'a retry, after the first attempt had consent': async () => {
      await failedOnce()
      return secondAttempt()
    },
    'a retry after a restart': async () => {
      await failedOnce()
      await core.stop()
      core = await coreInFolder({ dataFolder })
      return secondAttempt()
    },
    'sandbox.send of such a retry': async () => {
      await failedOnce()
      await secondAttempt()
      const { id } = await decided(EVENT)
      return outcome(core.call('sandbox.send', { id }))
    },
    'sandbox.send twice at once, with consent': async () => {
      await failedOnce()
      await secondAttempt()
      const { id } = await decided(EVENT)
      const send = () => outcome(core.call('sandbox.send', { id, allowHosts }))
      return (await Promise.all([send(), send()])).toSorted().join(', ')
    },
    'sandbox.trigger of a hook under the public URL': async () => {
      await core.call('receiver.setPublicUrl', { url: new URL(url).origin })
      await importHook({ url: `${new URL(url).origin}/h/tunnel` })
      const result = await outcome(trigger())
      const { verdict, path } = await core.latest()
      await core.call('receiver.setPublicUrl', { url: null })
      return `${result}, received at ${path} as ${verdict}`
    },
    'command line: trigger': async () => {
      await importHook()
      const ran = await cli.given({ data: dataFolder }).runProcess`trigger brand.consent`
      return `exit ${ran.code}${ran.stderr.includes(`--allow-host ${host}`) ? ', says how' : ''}`
    },
    'agent: event_trigger': async () => {
      await importHook()
      const session = await startMcp(cli, ['--allow-sends'], { data: dataFolder })
      const { isError } = await session.call('event_trigger', { event: EVENT })
      await session.close()
      return isError ? 'refused' : 'sent'
    },
  }

  const rows: string[][] = []
  for (const [way, cause] of Object.entries(ways)) {
    const before = requests()
    const result = await cause()
    rows.push([way, result, String(requests() - before)])
    for (const { id, status } of (await core.call('hooks.list', {})).hooks)
      if (status === 'active') await core.call('hooks.remove', { id, live: true })
  }
  return { rows, bugs: core.bugs }
}
