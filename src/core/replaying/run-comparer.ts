/** Compares the recorded responses of a replay; reads them in pages, between other work. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { OutputOf } from '../../shared/contract/contract.ts'
import type { Baseline, BaselineEntry, RunComparison } from '../../shared/model/run-comparison.ts'
import type { ComparisonSettings } from '../../shared/model/send.ts'
import type { ComparedSend, RecordedSend } from '../store/compared-sends.ts'
import { sidesOf, type ReplaySide } from '../store/replay-sides.ts'
import type { StoredReplay } from '../store/replays.ts'
import type { Store } from '../store/store.ts'
import { pathPattern } from '../../shared/diff/path-pattern.ts'
import { leaveOutFields, ResponseFolder } from './comparable-response.ts'
import { ComparisonGroups, type PairSide } from './comparison-groups.ts'
import { isUnreachable } from './judge-pair.ts'

const PAGE = 200

const RECORDED = 'Countersign itself responded, not a handler.'
const NOT_SENT = "One of its requests wasn't sent, or Countersign stopped during it."

/** Why a delivery has nothing to compare its response with. */
const MISSING: Readonly<Record<ComparisonSettings['with'], string>> = {
  endpoint: NOT_SENT,
  previous: 'It was never sent there before.',
  baseline: "It isn't in the baseline.",
  nothing: '',
}

/** Function that masks secrets in a response, and removes its encoding. */
export type MaskResponse = (send: RecordedSend) => Promise<Pick<RecordedSend, 'headers' | 'body'>>

interface ComparerDeps {
  readonly store: Pick<Store, 'read'>
  readonly mask: MaskResponse
}

/** Response of one side, or the reason why it is missing. */
interface Side {
  readonly send: ComparedSend
  readonly pair: PairSide | null
  readonly reason: string | null
}

export type BaselinePage = OutputOf<'replay.baseline'>

export class RunComparer {
  readonly #deps: ComparerDeps
  readonly #replay: Pick<StoredReplay, 'id' | 'settings'>
  readonly #comparison: ComparisonSettings
  readonly #folder: ResponseFolder

  constructor(
    deps: ComparerDeps,
    replay: Pick<StoredReplay, 'id' | 'settings'>,
    comparison: ComparisonSettings,
  ) {
    this.#deps = deps
    this.#replay = replay
    this.#comparison = comparison
    this.#folder = new ResponseFolder(comparison)
  }

  /** Compares all ended sends. Rejects if the signal aborts. */
  async compare(
    baseline: Baseline | null,
    signal: AbortSignal,
  ): Promise<Omit<RunComparison, 'replay'>> {
    const groups = new ComparisonGroups()
    const saved = new Map(baseline?.deliveries.map((entry) => [entry.id, entry]))
    const { with: compared, ignore, headers } = this.#comparison
    const unsaved = ignore.filter((path) => baseline?.ignore.includes(path) === false)
    const ignored = unsaved.map(pathPattern)
    const names = headers.map((name) => name.toLowerCase())
    for await (const page of this.#deliveries(signal)) {
      const ids = page.map(({ own }) => own.send.deliveryId)
      const earlier = compared === 'previous' ? await this.#readPrevious(ids) : null
      for (const { own, other } of page) {
        const { deliveryId, event } = own.send
        const entry = saved.get(deliveryId)
        saved.delete(deliveryId)
        const before = other?.pair ?? earlier?.get(deliveryId) ?? savedSide(entry, ignored, names)
        const reason = own.reason ?? other?.reason ?? MISSING[compared]
        groups.add({ deliveryId, event, before, after: own.pair, reason })
      }
    }
    return { ...groups.done(), notSelected: saved.size }
  }

  /** Returns the next responses for a baseline, in order of position. */
  async baselinePage(after: number): Promise<BaselinePage> {
    const sends = await this.#readSends(after)
    const entries: BaselinePage['entries'] = []
    const missing: BaselinePage['missing'] = []
    for (const send of sends.filter(({ side }) => side === 'own')) {
      const { pair, reason } = await this.#sideOf(send)
      const { deliveryId: id, event } = send
      if (pair === null) missing.push({ id, reason: reason ?? NOT_SENT, isUnreachable: false })
      else if (isUnreachable(pair.response))
        missing.push({ id, reason: send.error ?? '', isUnreachable: true })
      else entries.push({ id, event, ...pair.response })
    }
    const last = sends.at(-1)
    return { entries, missing, next: sends.length < PAGE ? null : (last?.position ?? null) }
  }

  #readSends(after: number): Promise<ComparedSend[]> {
    return this.#deps.store.read('comparedSends', { replayId: this.#replay.id, after, limit: PAGE })
  }

  /** Yields pages of deliveries with the send of each side; those without an own one last. */
  async *#deliveries(signal: AbortSignal) {
    const isPair = sidesOf(this.#replay) === 2
    const halves = new Map<number, Partial<Record<ReplaySide, Side>>>()
    let after = 0
    for (;;) {
      signal.throwIfAborted()
      const sends = await this.#readSends(after)
      const page: { own: Side; other: Side | null }[] = []
      for (const send of sends) {
        const side = await this.#sideOf(send)
        const half = { ...halves.get(send.index), [send.side]: side }
        halves.set(send.index, half)
        const { own, other = null } = half
        if (own === undefined || (isPair && other === null)) continue
        page.push({ own, other })
        halves.delete(send.index)
      }
      yield page
      await nextTurn()
      after = sends.at(-1)?.position ?? after
      if (sends.length < PAGE) break
    }
    yield [...halves.values()].flatMap(({ own, other }) => {
      const left = own ?? other
      return left === undefined
        ? []
        : [{ own: { ...left, pair: null, reason: NOT_SENT }, other: null }]
    })
  }

  async #sideOf(send: ComparedSend): Promise<Side> {
    if (send.state === 'not-sent') return { send, pair: null, reason: send.error }
    if (send.passed === null) return { send, pair: null, reason: RECORDED }
    return { send, pair: await this.#pairSide(send), reason: null }
  }

  async #pairSide(send: RecordedSend): Promise<PairSide> {
    const response = this.#folder.fold({ ...send, ...(await this.#deps.mask(send)) })
    return { send: `${send.replayId}.${send.position}`, ms: send.ms, response }
  }

  async #readPrevious(ids: string[]) {
    const sends = await this.#deps.store.read('previousSends', { replayId: this.#replay.id, ids })
    const sides = new Map<string, PairSide>()
    for (const send of sends) sides.set(send.deliveryId, await this.#pairSide(send))
    return sides
  }
}

/** Returns the response of a baseline with the named headers, without fields ignored later. */
function savedSide(
  entry: BaselineEntry | undefined,
  ignored: readonly string[],
  names: readonly string[],
): PairSide | null {
  if (entry === undefined) return null
  const { id: _, event: _event, ...response } = entry
  const body = response.body && leaveOutFields(response.body, ignored)
  const named = Object.entries(response.headers ?? {}).filter(([name]) => names.includes(name))
  const headers = Object.fromEntries(named)
  return { send: null, ms: null, response: { ...response, headers, ...(body && { body }) } }
}
