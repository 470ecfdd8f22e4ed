/**
 * Erases what values stored in clear by an earlier version have left behind: in free pages, in the gaps of pages that were used
 * again, and in the log. SQLite can overwrite what it deletes from now on, but not what it freed earlier, so the whole file is written
 * anew, once, while nothing is received.
 */
import type { Log } from '../base/deps.ts'
import { ERASE_PENDING } from '../store/clear-headers-repo.ts'
import type { Store } from '../store/store.ts'

export interface Eraser {
  /** Resolves when nothing is left, or when it has to be tried again at the next start. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/** Starts to erase, if there is anything. */
export function startErasing(store: Pick<Store, 'read' | 'write' | 'rewrite' | 'settled'>, log: Log): Eraser {
  const stopping = new AbortController()

  async function erase(): Promise<void> {
    if ((await store.read('setting', ERASE_PENDING)) !== 'true') return
    await store.settled()
    const { used } = await store.read('fileUse', null)
    const isDone = await store.rewrite({ used, signal: stopping.signal, onProgress: () => undefined })
    if (isDone && (await store.write('emptyLog', null)))
      await store.write('writeSetting', { name: ERASE_PENDING, value: 'false' })
  }

  const ended = erase().catch((error: unknown) => {
    log.warn(
      'Old header values could not be erased from the free pages of the database. Countersign tries again at the next start.',
      {
        reason: (error as Error).message,
      },
    )
  })
  return {
    ended,
    async close() {
      stopping.abort()
      await ended
    },
  }
}
