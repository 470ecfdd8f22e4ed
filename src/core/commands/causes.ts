/**
 * Stores why signatures are invalid, so that lists show it: the newest invalid deliveries are diagnosed one by one behind the
 * receiver, and again if hooks or secrets change. Which keys a cause was found with is stored, so a stop at any time loses nothing.
 */
import { hash } from 'node:crypto'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { Log } from '../base/deps.ts'
import { systemClock } from '../base/system-clock.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import type { Cause } from '../store/claims-repo.ts'
import { explainSignature, type SignatureServices } from './explain-signature.ts'

export interface CausesDeps {
  readonly services: SignatureServices
  readonly log: Log
  /** Called with deliveries whose cause is known now. */
  onFound(rows: readonly DeliveryRow[]): void
}

export interface Causes {
  /** An invalid delivery was stored, or hooks or secrets changed. */
  wake(): void
  /** Resolves when nothing is left to diagnose. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** Stored together: each is shown within half a second or so. */
const PIECE = 10
const RETRY_MS = 10_000

export function createCauses({ services, log, onFound }: CausesDeps): Causes {
  const { store, hooks, environments } = services
  const closing = new AbortController()
  let isAwake = false
  let running: Promise<void> | null = null

  /** Changes with everything that a diagnosis depends on; reveals nothing about secrets, which are only ever added. */
  function keys(): number {
    const known = hooks.list().map(({ id, url }) => [id, url, hooks.secretsOf(id).length])
    const text = JSON.stringify([known, environments.all().map(({ name }) => name), knownPrefixes(environments)])
    return Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16)
  }

  async function diagnose(id: string): Promise<string | null> {
    try {
      const { diagnosis } = await explainSignature(services, id, closing.signal)
      return diagnosis?.cause ?? null
    } catch (error) {
      // It may have been deleted in the meantime. Without a cause it isn't tried again with these keys.
      if (!(error instanceof AppError)) log.bug(error, 'diagnosing a delivery')
      return null
    }
  }

  /** Whether there may be more. */
  async function diagnosePiece(): Promise<boolean> {
    const present = keys()
    const left = await store.read('undiagnosed', { keys: present, limit: PIECE })
    const causes: Cause[] = []
    for (const { seq, id } of left) {
      await store.pace.rest()
      if (closing.signal.aborted) break
      const startedAt = systemClock.monotonic()
      causes.push({ seq, cause: await diagnose(id), keys: present })
      // Leaves half of the time to other work.
      await systemClock.sleep(systemClock.monotonic() - startedAt, closing.signal)
    }
    // A cause that was computed while it closed may lack its search.
    if (closing.signal.aborted) return false
    if (causes.length > 0) {
      await store.write('putCauses', causes)
      onFound(
        await store.read(
          'rowsBySeq',
          causes.map(({ seq }) => seq),
        ),
      )
    }
    return left.length === PIECE
  }

  async function run(): Promise<void> {
    while (isAwake && !closing.signal.aborted) {
      isAwake = false
      try {
        while (await diagnosePiece());
      } catch (error) {
        if (closing.signal.aborted) return
        log.warn("Couldn't store causes of invalid signatures. Trying again later.", { reason: (error as Error).message })
        isAwake = true
        await systemClock.sleep(RETRY_MS, closing.signal)
      }
    }
  }

  function start(): void {
    isAwake = true
    running ??= run().finally(() => {
      running = null
      // Woken after its last check, before it ended.
      if (isAwake && !closing.signal.aborted) start()
    })
  }

  return {
    wake: start,
    async settled() {
      while (running !== null) await running
    },
    async close() {
      closing.abort()
      await running
    },
  }
}
