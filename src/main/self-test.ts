/**
 * The `--self-test` of an installer: opens the app on a temporary data folder, makes every part do
 * real work, quits, and prints one line of JSON.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { withTimeLimit } from '../core/base/async.ts'
import { loadKeyring } from '../core/hooks/keyring-backend.ts'
import { AGE } from '../shared/import-export/import-file.ts'
import type { Client } from '../shared/rpc/client.ts'

export interface SelfTestSubject {
  readonly call: Client['call']
  runInPage(code: string): Promise<unknown>
  loadUpdater(): Promise<unknown>
  systemAuthorities(): Promise<unknown>
}

/** Does one part's work; resolves with what it saw. Rejects if that isn't right. */
type Check = (subject: SelfTestSubject) => Promise<string>

const LATEST = { id: 'latest' }

function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise)
}

const POLL_MS = 50

async function until<T>(read: () => Promise<T>, isRight: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read()
    if (isRight(value)) return value
    await delay(POLL_MS)
  }
}

/**
 * Checks in order, because later ones use earlier deliveries. A worker thread's check is named
 * after its built file.
 */
export const CHECKS = {
  async core({ call }) {
    const { state, problem, url } = (await call('app.status', {})).receiver
    expect(state === 'listening', problem ?? `The receiver is ${state}.`)
    return `receiver at ${url}`
  },
  async page({ runInPage }) {
    // The screens of a start and of an error have no navigation.
    await until(() => runInPage("document.querySelector('nav') !== null"), Boolean)
    return 'shows the app'
  },
  keyring: () => loadKeyring().then(() => 'loaded'),
  async capture({ call }) {
    await call('sandbox.sample', {})
    const { verdict, freshness } = await call('deliveries.get', LATEST)
    const found = `${verdict} and ${freshness}`
    expect(found === 'valid and fresh', `The sample is ${found}.`)
    return found
  },
  async secrets({ call }) {
    const { hookId } = await call('deliveries.get', LATEST)
    await call('hooks.reveal', { id: hookId ?? '' })
    return (await call('app.status', {})).vault.backend
  },
  async writer({ call }) {
    await call('marks.set', { ids: ['latest'], marks: { note: 'tested' } })
    return 'stored a note'
  },
  async reader({ call }) {
    const { items } = await call('deliveries.list', { limit: 1 })
    expect(items[0]?.note === 'tested', "The list doesn't have the note.")
    return 'read it'
  },
  async search({ call }) {
    // The database would answer without an index, so the search alone proves nothing.
    const { state } = await until(
      async () => (await call('app.status', {})).store.search,
      (search) => search.state !== 'opening',
    )
    expect(state !== 'off', 'Search index not found.')
    const { items } = await call('deliveries.list', { query: 'sample amount', limit: 10 })
    expect(items.length === 1, `Found ${items.length} deliveries instead of one.`)
    return 'found the sample'
  },
  async diagnosis({ call }) {
    await call('sandbox.trigger', { event: 'transaction.auth', fault: 'single-pass' })
    const { verdict, diagnosis } = await call('deliveries.signature', LATEST)
    const cause = diagnosis?.cause ?? 'missing'
    expect(cause.startsWith('passes:'), `A wrong signature is ${verdict}, its diagnosis ${cause}.`)
    return cause
  },
  async shrink({ call }) {
    const { id, hookId } = await call('deliveries.get', LATEST)
    // The receiver is the handler that fails, so this sends over HTTPS too.
    await call('hooks.answer', { id: hookId ?? '', rule: { status: 500 } })
    const { run } = await call('shrink.start', { id, maxSends: 100 })
    const { outcome, message, size } = await until(
      async () => (await call('shrink.get', { runId: run.id })).run,
      (found) => found.outcome !== null,
    )
    expect(outcome === 'smallest', message ?? `It ended as ${outcome}.`)
    return `${size} bytes`
  },
  async encryption({ call }) {
    const { items } = await call('deliveries.list', { limit: 1 })
    const seqs = items.map(({ seq }) => seq)
    const piece = { stream: null, seqs, ends: true, passphrase: 'of the self-test' }
    const { encrypted } = await call('exchange.share', piece)
    const begins = atob(encrypted ?? '').slice(0, AGE.length)
    expect(begins === AGE, `It begins with "${begins}".`)
    return AGE
  },
  'system-authorities': ({ systemAuthorities }) => systemAuthorities().then(() => 'read'),
  updates: ({ loadUpdater }) => loadUpdater().then(() => 'loaded'),
} as const satisfies Readonly<Record<string, Check>>

/** A keyring that asks for a password takes half a minute. */
const CHECK_TIMEOUT_MS = 60_000

export type SelfTest = ReturnType<typeof createSelfTest>

/** Creates a self-test, which prints `facts` with its results. */
export function createSelfTest(
  facts: object,
  print: (line: string) => void,
  checks: Readonly<Record<string, Check>> = CHECKS,
) {
  const results = Object.fromEntries(
    Object.keys(checks).map((check) => [check, { ok: false, ms: 0, detail: 'Not run.' }]),
  )
  const throwLate = () => {
    throw new Error(`Not done after ${CHECK_TIMEOUT_MS / 1_000} seconds.`)
  }
  return {
    async run(subject: SelfTestSubject): Promise<void> {
      for (const [check, work] of Object.entries(checks)) {
        const startedAt = Date.now()
        const outcome = await withTimeLimit(CHECK_TIMEOUT_MS, work(subject), throwLate).then(
          (detail) => ({ ok: true, detail }),
          (error: unknown) => ({ ok: false, detail: (error as Error).message }),
        )
        results[check] = { ...outcome, ms: Date.now() - startedAt }
        // Without the core, every other check would fail, or wait until time is up.
        if (check === 'core' && !outcome.ok) break
      }
    },
    /**
     * Prints the report with the result of quitting; returns the exit code: 1 if anything failed or
     * didn't run.
     */
    end(quitProblem: string | null): number {
      const quit = { ok: quitProblem === null, ms: 0, detail: quitProblem ?? 'closed the core' }
      const checkResults = Object.entries({ ...results, quit }).map(([check, result]) => ({
        check,
        ...result,
      }))
      const ok = checkResults.every((result) => result.ok)
      const ms = Math.round(performance.now())
      print(JSON.stringify({ selfTest: ok ? 'ok' : 'failed', ms, ...facts, checks: checkResults }))
      return ok ? 0 : 1
    },
  }
}
