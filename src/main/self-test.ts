/**
 * `--self-test`: opens the app on a temporary data folder, makes every part do real work, quits, and prints one line of JSON. It
 * proves an installer: the workers start from the archive, the native modules load, and the sandbox has what it needs. See
 * docs/desktop-internals.md.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Delivery } from '../shared/model/delivery.ts'
import type { Client } from '../shared/rpc/client.ts'

/** What the window's page shows. */
export interface PageLook {
  /** The navigation of the app is there, not just a start or an error screen. */
  readonly showsApp: boolean
  /** When the page first painted something, in milliseconds; null before. */
  readonly paintedMs: number | null
  /** The page can reach Node. */
  readonly hasNode: boolean
}

/** Reads a `PageLook` in the page. */
export const LOOK_AT_PAGE = `({
  showsApp: document.querySelector('nav') !== null,
  paintedMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null,
  hasNode: typeof process !== 'undefined' || typeof require !== 'undefined',
})`

export interface SelfTestSubject {
  /** A connection to the core, which may still be starting. */
  readonly client: Pick<Client, 'call'>
  lookAtPage(): Promise<PageLook>
  /** Loads the native module of the system keyring. */
  loadKeyring(): Promise<unknown>
  /** The system's CA certificates, read in their own thread. */
  readSystemAuthorities(): Promise<readonly string[]>
  /** Loads electron-updater. */
  loadUpdater(): Promise<unknown>
}

/** Does one part's work. Resolves with what it saw; rejects with the reason if that isn't right. */
type Check = (subject: SelfTestSubject) => Promise<string>

const NOTE = 'written by the self-test'

function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise)
}

/** Asks until `read` returns something. The time limit of the whole test ends the wait. */
async function until<T>(read: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const value = await read()
    if (value !== null) return value
    await delay(50)
  }
}

const latest = ({ client }: SelfTestSubject): Promise<Delivery> =>
  client.call('deliveries.get', { id: 'latest' })

/** In order: later checks use the delivery that `capture` received. The keys of threads are the names of their built files. */
export const CHECKS = {
  async core({ client }) {
    const { receiver, sandbox } = await client.call('app.status', {})
    expect(receiver.state === 'listening', receiver.problem ?? `The receiver is ${receiver.state}.`)
    expect(sandbox !== null, "The sandbox isn't running.")
    return `receiver at ${receiver.url}`
  },
  async page({ lookAtPage }) {
    const { paintedMs, hasNode } = await until(async () => {
      const look = await lookAtPage()
      return look.showsApp && look.paintedMs !== null ? look : null
    })
    expect(!hasNode, 'The page can reach Node.')
    return `painted after ${Math.round(paintedMs ?? 0)} ms`
  },
  async keyring({ loadKeyring }) {
    // Without it, secrets would go into a file, and nothing else would be different.
    await loadKeyring()
    return 'loaded its native module'
  },
  async secrets({ client }) {
    const secret = `whsec_${randomBytes(24).toString('base64url')}`
    const url = 'https://127.0.0.1/self-test'
    const hook = await client.call('hooks.import', {
      event: 'card.linked',
      url,
      secret,
      environment: 'sandbox-test',
    })
    const opened = await client.call('hooks.reveal', { id: hook.id })
    expect(opened.secret === secret, 'Another secret came back than was stored.')
    return (await client.call('app.status', {})).vault.backend
  },
  async capture({ client }) {
    const { result } = await client.call('sandbox.sample', {})
    const [attempt] = result.deliveries.flatMap(({ attempts }) => attempts)
    expect(
      attempt?.acknowledged === true,
      `The receiver returned ${attempt?.status ?? attempt?.error ?? 'nothing'}.`,
    )
    expect(attempt.deliveryId !== null, "The sample didn't reach this receiver.")
    const { verdict, freshness } = await client.call('deliveries.get', { id: attempt.deliveryId })
    expect(
      verdict === 'valid' && freshness === 'fresh',
      `The sample is ${verdict} and ${freshness}.`,
    )
    return `valid over HTTPS in ${Math.round(attempt.ms)} ms`
  },
  async writer(subject) {
    const { id } = await latest(subject)
    const { count } = await subject.client.call('marks.set', { ids: [id], marks: { note: NOTE } })
    expect(count === 1, `Stored ${count} notes instead of one.`)
    return 'stored a note'
  },
  async reader({ client }) {
    const { items } = await client.call('deliveries.list', { limit: 1 })
    expect(items[0]?.note === NOTE, "The list doesn't have the note.")
    return 'read it'
  },
  async search(subject) {
    const { client } = subject
    const { id } = await latest(subject)
    // Without its index, a search returns the same from the database.
    const { search } = await until(async () => {
      const { store } = await client.call('app.status', {})
      return store.search.state === 'ready' || store.search.state === 'off' ? store : null
    })
    expect(search.state === 'ready', 'Search index not found.')
    const { items } = await client.call('deliveries.list', { query: 'sample amount', limit: 10 })
    expect(
      items.length === 1 && items[0]?.id === id,
      `Found ${items.length} deliveries instead of one.`,
    )
    return 'found the sample'
  },
  async repair({ client }) {
    const { checks } = await client.call('doctor.run', {})
    const database = checks.find(({ name }) => name === 'database')
    expect(
      database !== undefined && database.outcome !== 'failed',
      database?.message ?? 'The database was not checked.',
    )
    return 'checked all pages of the database'
  },
  async diagnosis({ client }) {
    const sent = await client.call('sandbox.trigger', {
      event: 'transaction.auth',
      environment: 'sandbox-test',
      fault: 'single-pass',
    })
    const id = sent.deliveries.flatMap(({ attempts }) => attempts)[0]?.deliveryId ?? null
    expect(id !== null, "The delivery with a wrong signature didn't arrive.")
    const { verdict, diagnosis } = await client.call('deliveries.signature', { id })
    expect(
      verdict === 'invalid' && diagnosis !== null,
      `A wrong signature is ${verdict}, with no diagnosis.`,
    )
    expect(diagnosis.cause.startsWith('passes:'), `The diagnosis is ${diagnosis.cause}.`)
    return diagnosis.cause
  },
  async shrink(subject) {
    const { client } = subject
    const { id, hookId } = await latest(subject)
    expect(hookId !== null, 'The delivery belongs to no hook.')
    // The receiver is the handler that fails, so this sends over HTTPS too.
    await client.call('hooks.answer', { id: hookId, rule: { status: 500 } })
    const { run } = await client.call('shrink.start', { id, maxSends: 100 })
    const ended = await until(async () => {
      const result = await client.call('shrink.get', { runId: run.id })
      return result.run.outcome === null ? null : result.run
    })
    await client.call('hooks.answer', { id: hookId, rule: {} })
    expect(ended.outcome === 'smallest', ended.message ?? `It ended as ${ended.outcome}.`)
    return `${ended.originalSize} to ${ended.size} bytes in ${ended.sends} requests`
  },
  async 'system-authorities'({ readSystemAuthorities }) {
    return `${(await readSystemAuthorities()).length} CA certificates`
  },
  async updates({ loadUpdater }) {
    await loadUpdater()
    return 'loaded'
  },
} as const satisfies Readonly<Record<string, Check>>

export interface SelfTestResult {
  readonly check: string
  readonly ok: boolean
  readonly ms: number
  /** What the check saw, or why it failed. */
  readonly detail: string
}

export interface SelfTest {
  /** Runs the checks one after the other. */
  run(subject: SelfTestSubject): Promise<void>
  /** Adds how quitting ended, prints the report and returns the exit code: 1 if anything failed or didn't run. */
  end(quitProblem: string | null): number
}

export interface SelfTestOptions {
  /** Printed with the results: versions and the system. */
  readonly facts: Readonly<Record<string, unknown>>
  readonly limitMs: number
  print(line: string): void
  /** Called when the time is up: whatever hangs would hang quitting too. */
  exit(code: number): void
  readonly checks?: Readonly<Record<string, Check>>
}

/** The time starts now, before Electron is ready, because it may never be. */
export function createSelfTest({
  facts,
  limitMs,
  print,
  exit,
  checks = CHECKS,
}: SelfTestOptions): SelfTest {
  const startedAt = performance.now()
  const results: SelfTestResult[] = []
  let current: string | null = null

  const end = (quitProblem: string | null): number => {
    clearTimeout(timer)
    const done = new Set(results.map(({ check }) => check))
    for (const check of Object.keys(checks))
      if (!done.has(check))
        results.push({
          check,
          ok: false,
          ms: 0,
          detail: (check === current ? quitProblem : null) ?? 'Not run.',
        })
    results.push({
      check: 'quit',
      ok: quitProblem === null,
      ms: 0,
      detail: quitProblem ?? 'closed the core',
    })
    const ok = results.every((result) => result.ok)
    const ms = Math.round(performance.now() - startedAt)
    print(JSON.stringify({ selfTest: ok ? 'ok' : 'failed', ms, ...facts, checks: results }))
    return ok ? 0 : 1
  }
  const timer = setTimeout(() => {
    exit(end(`Not done after ${limitMs / 1_000} seconds.`))
  }, limitMs)

  return {
    async run(subject) {
      for (const [check, work] of Object.entries(checks)) {
        const from = performance.now()
        current = check
        const outcome = await work(subject).then(
          (detail) => ({ ok: true, detail }),
          (error: unknown) => ({
            ok: false,
            detail: error instanceof Error ? error.message : String(error),
          }),
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
