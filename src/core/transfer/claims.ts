/**
 * Matches imported deliveries to hooks by signature: after each import, and again when a hook or secret is added. Judges unsigned
 * deliveries again when an environment gets the prefix that they are signed under. Progress is
 * stored, so neither a start nor a hook change tries everything again. Runs in the reader's thread and yields to the receiver.
 */
import { hash } from 'node:crypto'
import { z } from 'zod'
import { checkPayload } from '../../shared/service/payload.ts'
import { type Environments, knownPrefixes } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { belongingTo, type Registry } from '../hooks/registry.ts'
import { createCatchUp, withTimeLimit } from '../base/async.ts'
import type { Clock, Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import type {
  ClaimCandidate,
  ClaimPlace,
  ClaimsInput,
  JudgedAgain,
  UnsignedPiece,
} from '../store/claims.ts'
import { readJsonSetting } from '../store/settings.ts'
import type { Store } from '../store/store.ts'

export interface ClaimsDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'search' | 'pace'>
  readonly hooks: Pick<Hooks, 'list' | 'secretsOf'>
  readonly environments: Pick<Environments, 'all'>
  readonly registry: Pick<Registry, 'judge'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly hub: Pick<EventHub, 'emit'>
}

export type ImportClaims = ReturnType<typeof createImportClaims>

/** Name of the setting that stores the progress. */
const TRIED = 'imports.tried'
/** Up to this seq, claims were tried with hooks of these marks, and unsigned deliveries with these prefixes. */
const triedSchema = z.object({
  upTo: z.number().int(),
  hooks: z.array(z.string()),
  prefixes: z.array(z.string()).default([]),
})
type Tried = z.infer<typeof triedSchema>
const NOTHING_TRIED: Tried = { upTo: 0, hooks: [], prefixes: [] }

const CLOSE_PATIENCE_MS = 3_000

interface HookKeys {
  /** Changes with everything a signature depends on. Reveals nothing about the secret. */
  readonly mark: string
  readonly candidates: readonly ClaimCandidate[]
}

export function createImportClaims(deps: ClaimsDeps) {
  const { store, hooks, environments, log, hub } = deps
  let tried: Tried | null = null

  function hookKeys(prefixes: readonly string[]): HookKeys[] {
    return hooks.list().map(({ id, url, event, environment, mode }) => {
      const secrets = hooks.secretsOf(id)
      return {
        // Secrets are only ever added, so their number says whether there is a new one.
        mark: hash('sha256', JSON.stringify([id, url, secrets.length, prefixes]), 'hex').slice(
          0,
          16,
        ),
        candidates: secrets.map(({ key }) => ({ hookId: id, url, key, event, environment, mode })),
      }
    })
  }

  /** Resolves with whether all of them were tried with the hooks. */
  async function tryClaims(
    after: number,
    upTo: number,
    keys: readonly HookKeys[],
    prefixes: readonly string[],
  ): Promise<boolean> {
    const candidates = keys.flatMap((hook) => hook.candidates)
    if (after >= upTo || candidates.length === 0) return true
    for (let from: ClaimPlace | null = { seq: after + 1, candidate: 0 }; from !== null;) {
      await store.pace.rest()
      if (work.closing.aborted) return false
      from = await tryPiece({ from, upTo, candidates, prefixes })
    }
    return true
  }

  /** Resolves with the place to continue at. */
  async function tryPiece(input: ClaimsInput): Promise<ClaimPlace | null> {
    const { proved, next } = await store.read('matchClaims', input)
    await put(proved)
    return next
  }

  async function put(judged: readonly JudgedAgain[]): Promise<void> {
    if (judged.length === 0) return
    const seqs = judged.map(({ seq }) => seq)
    await store.write('putJudged', judged)
    store.search.changed()
    hub.emit('deliveries.updated', await store.read('rowsBySeq', seqs))
  }

  /** What an unsigned delivery is under today's prefixes. Its freshness stays that at receipt. */
  async function judgedAgain(id: string): Promise<JudgedAgain[]> {
    const { seq, path, headers, receivedAt } = await store.read('get', id)
    const { bytes } = await store.read('body', { seq })
    const at = Date.parse(receivedAt)
    const { verdict, freshness, hook } = await deps.registry.judge(path ?? '/', headers, bytes, at)
    if (verdict === 'unsigned') return []
    const event = verdict === 'valid' ? (hook?.event ?? null) : null
    const schema = event === null ? null : checkPayload(event, bytes).outcome
    return [{ seq, verdict, freshness, ...belongingTo(hook), event, schema, at: deps.clock.now() }]
  }

  /** Resolves with whether all unsigned deliveries were judged. */
  async function judgeUnsigned(prefixes: readonly string[]): Promise<boolean> {
    if (prefixes.length === 0) return true
    for (let after: number | null = 0; after !== null;) {
      const { ids, next }: UnsignedPiece = await store.read('unsignedWith', { after, prefixes })
      for (const id of ids) {
        await store.pace.rest()
        if (work.closing.aborted) return false
        await put(await judgedAgain(id))
      }
      after = next
    }
    return true
  }

  async function catchUp(): Promise<void> {
    tried ??= (await readJsonSetting(store, TRIED, triedSchema)) ?? NOTHING_TRIED
    const before = tried
    const prefixes = knownPrefixes(environments)
    const known = hookKeys(prefixes)
    const marks = new Set(before.hooks)
    const isNew = known.filter(({ mark }) => !marks.has(mark))
    const newPrefixes = prefixes.filter((prefix) => !before.prefixes.includes(prefix))
    const newest = await store.read('newestSeq', null)
    const areTried =
      (await tryClaims(0, Math.min(before.upTo, newest), isNew, prefixes)) &&
      (await tryClaims(before.upTo, newest, known, prefixes)) &&
      (await judgeUnsigned(newPrefixes))
    if (!areTried) return
    tried = { upTo: newest, hooks: known.map(({ mark }) => mark), prefixes: [...prefixes] }
    if (isNew.length > 0 || newPrefixes.length > 0 || newest > before.upTo)
      await store.write('writeSetting', { name: TRIED, value: JSON.stringify(tried) })
  }

  const work = createCatchUp(() =>
    catchUp().catch((error: unknown) => {
      // A full disk, or a database that is being closed: the next import, hook or start tries again.
      if (!work.closing.aborted)
        log.warn('Imported deliveries could not be matched to hooks.', {
          reason: (error as Error).message,
        })
    }),
  )
  const settled = (patienceMs: number) => withTimeLimit(patienceMs, work.settled(), () => undefined)

  return {
    /** Resolves when all work requested so far is done, or after this many milliseconds. */
    settled,
    /** Resolves once every imported delivery was tried with every known hook. Never rejects: failures are tried again. */
    catchUp: work.request,
    /** Waits a while for running work, then stops it: the next start continues. */
    async close() {
      await settled(CLOSE_PATIENCE_MS)
      await work.close()
    },
  }
}
