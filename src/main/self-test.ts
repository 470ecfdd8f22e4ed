/**
 * `--self-test` proves an installer: it opens the app on a temporary data folder, makes every part do real work, quits, and prints
 * one line of JSON.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../shared/rpc/client.ts'

/** Whether the window's page shows the app, not just a start or an error screen, and can reach Node. */
export interface PageState {
  readonly isPainted: boolean
  readonly hasNode: boolean
}

/** Reads a `PageState` in the page. */
export const READ_PAGE = `({
  isPainted: document.querySelector('nav') !== null && performance.getEntriesByName('first-contentful-paint').length > 0,
  hasNode: typeof process !== 'undefined' || typeof require !== 'undefined',
})`

export interface SelfTestSubject {
  /** A connection to the core, which may still be starting. */
  readonly client: Pick<Client, 'call'>
  readPage(): Promise<PageState>
  /** The native module of the system keyring, without which secrets would go into a file. */
  loadKeyring(): Promise<unknown>
  /** The system's CA certificates, read in their own thread. */
  readSystemAuthorities(): Promise<unknown>
  loadUpdater(): Promise<unknown>
}

/** Does one part's work. Resolves with what it saw; rejects with the reason if that isn't right. */
type Check = (subject: SelfTestSubject) => Promise<string>

const NOTE = 'written by the self-test'
const ENVIRONMENT = 'sandbox-test'
const LATEST = { id: 'latest' }

function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise)
}

/** Reads until the value is right. The time limit of the whole test ends the wait. */
async function until<T>(read: () => Promise<T>, isRight: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read()
    if (isRight(value)) return value
    await delay(50)
  }
}

/** In order: later checks use earlier deliveries. The keys of threads are the names of their built files. */
export const CHECKS = {
  async core({ client }) {
    const { receiver, sandbox } = await client.call('app.status', {})
    expect(receiver.state === 'listening', receiver.problem ?? `The receiver is ${receiver.state}.`)
    expect(sandbox !== null, "The sandbox isn't running.")
    return `receiver at ${receiver.url}`
  },
  async page({ readPage }) {
    const state = await until(readPage, ({ isPainted }) => isPainted)
    expect(!state.hasNode, 'The page can reach Node.')
    return 'painted'
  },
  keyring: ({ loadKeyring }) => loadKeyring().then(() => 'loaded'),
  async secrets({ client }) {
    const secret = `whsec_${randomBytes(24).toString('base64url')}`
    const { id } = await client.call('hooks.import', {
      event: 'card.linked',
      url: 'https://127.0.0.1/self-test',
      secret,
      environment: ENVIRONMENT,
    })
    const opened = await client.call('hooks.reveal', { id })
    expect(opened.secret === secret, 'Another secret came back than was stored.')
    return (await client.call('app.status', {})).vault.backend
  },
  async capture({ client }) {
    await client.call('sandbox.sample', {})
    const { verdict, freshness } = await client.call('deliveries.get', LATEST)
    const found = `${verdict} and ${freshness}`
    expect(found === 'valid and fresh', `The sample is ${found}.`)
    return found
  },
  async writer({ client }) {
    await client.call('marks.set', { ids: ['latest'], marks: { note: NOTE } })
    return 'stored a note'
  },
  async reader({ client }) {
    const { items } = await client.call('deliveries.list', { limit: 1 })
    expect(items[0]?.note === NOTE, "The list doesn't have the note.")
    return 'read it'
  },
  async search({ client }) {
    // Without its index, a search returns the same from the database.
    const { store } = await until(
      () => client.call('app.status', {}),
      ({ store: { search } }) => search.state === 'ready' || search.state === 'off',
    )
    expect(store.search.state === 'ready', 'Search index not found.')
    const { items } = await client.call('deliveries.list', { query: 'sample amount', limit: 10 })
    expect(items.length === 1, `Found ${items.length} deliveries instead of one.`)
    return 'found the sample'
  },
  async diagnosis({ client }) {
    await client.call('sandbox.trigger', {
      event: 'transaction.auth',
      environment: ENVIRONMENT,
      fault: 'single-pass',
    })
    const { verdict, diagnosis } = await client.call('deliveries.signature', LATEST)
    const cause = diagnosis?.cause ?? 'missing'
    expect(cause.startsWith('passes:'), `A wrong signature is ${verdict}, its diagnosis ${cause}.`)
    return cause
  },
  async shrink({ client }) {
    const { id, hookId } = await client.call('deliveries.get', LATEST)
    expect(hookId !== null, 'The delivery belongs to no hook.')
    // The receiver is the handler that fails, so this sends over HTTPS too.
    await client.call('hooks.answer', { id: hookId, rule: { status: 500 } })
    const { run } = await client.call('shrink.start', { id, maxSends: 100 })
    const { run: ended } = await until(
      () => client.call('shrink.get', { runId: run.id }),
      (found) => found.run.outcome !== null,
    )
    expect(ended.outcome === 'smallest', ended.message ?? `It ended as ${ended.outcome}.`)
    return `${ended.size} bytes`
  },
  'system-authorities': ({ readSystemAuthorities }) => readSystemAuthorities().then(() => 'read'),
  updates: ({ loadUpdater }) => loadUpdater().then(() => 'loaded'),
} as const satisfies Readonly<Record<string, Check>>

export interface SelfTestResult {
  readonly check: string
  readonly ok: boolean
  readonly ms: number
  /** What the check saw, or why it failed. */
  readonly detail: string
}

export interface SelfTestOptions {
  readonly facts: Readonly<Record<string, unknown>>
  readonly limitMs: number
  print(line: string): void
  /** Called when the time is up: whatever hangs would hang quitting too. */
  exit(code: number): void
  readonly checks?: Readonly<Record<string, Check>>
}

export type SelfTest = ReturnType<typeof createSelfTest>

/** The time starts now, before Electron is ready, because it may never be. */
export function createSelfTest({ facts, limitMs, print, exit, checks = CHECKS }: SelfTestOptions) {
  const startedAt = performance.now()
  const results: SelfTestResult[] = []
  let current: string | null = null

  /** Adds how quitting ended, prints the report and returns the exit code: 1 if anything failed or didn't run. */
  const end = (quitProblem: string | null): number => {
    clearTimeout(timer)
    for (const check of Object.keys(checks).slice(results.length)) {
      const detail = (check === current ? quitProblem : null) ?? 'Not run.'
      results.push({ check, ok: false, ms: 0, detail })
    }
    const detail = quitProblem ?? 'closed the core'
    results.push({ check: 'quit', ok: quitProblem === null, ms: 0, detail })
    const ok = results.every((result) => result.ok)
    const ms = Math.round(performance.now() - startedAt)
    print(JSON.stringify({ selfTest: ok ? 'ok' : 'failed', ms, ...facts, checks: results }))
    return ok ? 0 : 1
  }
  const timer = setTimeout(() => exit(end(`Not done after ${limitMs / 1_000} seconds.`)), limitMs)

  return {
    /** Runs the checks one after the other. */
    async run(subject: SelfTestSubject): Promise<void> {
      for (const [check, work] of Object.entries(checks)) {
        const from = performance.now()
        current = check
        const outcome = await work(subject).then(
          (detail) => ({ ok: true, detail }),
          (error: unknown) => ({ ok: false, detail: (error as Error).message }),
        )
        results.push({ check, ...outcome, ms: Math.round(performance.now() - from) })
        // Without the core, every other check would fail, or wait until time is up.
        if (check === 'core' && !outcome.ok) break
      }
      current = null
    },
    end,
  }
}
