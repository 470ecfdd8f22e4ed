/**
 * Matches imported deliveries to hooks by signature: after each import, and again when a hook or secret is added. Progress is
 * stored, so neither a start nor a hook change tries everything again. Runs in the reader's thread and yields to the receiver.
 */
import { hash } from 'node:crypto'
import { z } from 'zod'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { type Environments, knownPrefixes } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { createMutex, withTimeLimit } from '../base/async.ts'
import { createRuns } from '../base/runs.ts'
import type { Log } from '../base/deps.ts'
import type { ClaimCandidate, ClaimPlace, ClaimsInput } from '../store/claims-repo.ts'
import { readJsonSetting } from '../store/json-setting.ts'
import type { Store } from '../store/store.ts'

export interface ClaimsDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'search' | 'pace'>
  readonly hooks: Pick<Hooks, 'list' | 'secretsOf'>
  readonly environments: Pick<Environments, 'all'>
  readonly log: Log
  /** Called with deliveries whose hook was found. */
  onProved(rows: readonly DeliveryRow[]): void
}

export type ImportClaims = ReturnType<typeof createImportClaims>

/** Name of the setting that stores the progress. */
const TRIED = 'imports.tried'
/** Up to this seq, claims were tried with hooks of these marks. */
const triedSchema = z.object({ upTo: z.number().int(), hooks: z.array(z.string()) })
type Tried = z.infer<typeof triedSchema>
const NOTHING_TRIED: Tried = { upTo: 0, hooks: [] }

const CLOSE_PATIENCE_MS = 3_000

interface HookKeys {
  /** Changes with everything a signature depends on. Reveals nothing about the secret. */
  readonly mark: string
  readonly candidates: readonly ClaimCandidate[]
}

export function createImportClaims({ store, hooks, environments, log, onProved }: ClaimsDeps) {
  const exclusive = createMutex()
  const runs = createRuns<null, void>({
    onFailed(error) {
      // A full disk, or a database that is being closed: the next import, hook or start tries again.
      if (!runs.closing.aborted)
        log.warn('Imported deliveries could not be matched to hooks.', {
          reason: (error as Error).message,
        })
    },
  })
  let tried: Tried | null = null
  let count = 0

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
      if (runs.closing.aborted) return false
      from = await tryPiece({ from, upTo, candidates, prefixes })
    }
    return true
  }

  /** Resolves with the place to continue at. */
  async function tryPiece(input: ClaimsInput): Promise<ClaimPlace | null> {
    const { proved, next } = await store.read('matchClaims', input)
    if (proved.length > 0) {
      const seqs = proved.map(({ seq }) => seq)
      await store.write('verifyClaims', proved)
      store.search.changed(seqs)
      onProved(await store.read('rowsBySeq', seqs))
    }
    return next
  }

  async function catchUpNow(): Promise<void> {
    if (runs.closing.aborted) return
    tried ??= (await readJsonSetting(store, TRIED, triedSchema)) ?? NOTHING_TRIED
    const before = tried
    const prefixes = knownPrefixes(environments)
    const known = hookKeys(prefixes)
    const isNew = known.filter(({ mark }) => !before.hooks.includes(mark))
    const newest = await store.read('newestSeq', null)
    const areTried =
      (await tryClaims(0, Math.min(before.upTo, newest), isNew, prefixes)) &&
      (await tryClaims(before.upTo, newest, known, prefixes))
    if (!areTried) return
    tried = { upTo: newest, hooks: known.map(({ mark }) => mark) }
    if (isNew.length > 0 || newest > before.upTo)
      await store.write('writeSetting', { name: TRIED, value: JSON.stringify(tried) })
  }

  const settled = (patienceMs: number) => withTimeLimit(patienceMs, runs.settled(), () => undefined)

  return {
    /** Resolves when all work requested so far is done, or after this many milliseconds. */
    settled,
    /** Resolves once every imported delivery was tried with every known hook. Never rejects: failures are tried again. */
    catchUp: () => runs.start(String(++count), null, () => exclusive(catchUpNow)).ended,
    /** Waits a while for running work, then stops it: the next start continues. */
    async close() {
      await settled(CLOSE_PATIENCE_MS)
      await runs.close()
    },
  }
}
