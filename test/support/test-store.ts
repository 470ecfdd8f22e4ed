/** A store for tests without a core around it: the real threads on a real file. */
import { hash } from 'node:crypto'
import { v7 } from 'uuid'
import type { Log } from '../../src/core/base/deps.ts'
import type { QueuedCapture } from '../../src/core/store/group-commit.ts'
import { openStore, type Store, type StoreDeps } from '../../src/core/store/store.ts'
import { testDeps } from './test-core.ts'

/** Opens the store of a folder that exists. */
export function openTestStore(dataFolder: string, replaced: Partial<StoreDeps> = {}): Promise<Store> {
  const { workers, log }: { workers: StoreDeps['workers']; log: Log } = testDeps(dataFolder)
  return openStore({
    dataFolder,
    workers,
    log,
    lenientEnvironments: () => [],
    onDescribed: () => undefined,
    onStatus: () => undefined,
    ...replaced,
  })
}

/** A delivery as the receiver hands it to the store; parts can be replaced. */
export function captureOf(body: string | Uint8Array, row: Partial<QueuedCapture['row']> = {}): QueuedCapture {
  const bytes = Buffer.from(body)
  return {
    row: {
      id: v7(),
      receivedAt: 1_763_700_000_000,
      method: 'POST',
      path: '/h/test',
      malformed: null,
      httpVersion: '1.1',
      headers: '[]',
      trailers: null,
      bodySize: bytes.length,
      bodySha256: hash('sha256', bytes, 'hex'),
      truncated: false,
      remote: null,
      event: null,
      eventSource: null,
      hookId: null,
      environment: null,
      mode: null,
      verdict: 'unsigned',
      freshness: 'missing',
      notificationKey: null,
      replayOf: null,
      ...row,
    },
    body: bytes,
  }
}
