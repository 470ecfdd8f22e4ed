/** The receiver with only its store, for tests that need other limits; real parts, closed automatically. */
import { createRegistry, type Registry } from '../../src/core/hooks/registry.ts'
import { createArrivals, createOwnSends } from '../../src/core/outgoing/own-sends.ts'
import { openIdentity } from '../../src/core/receiver/identity.ts'
import { createIntake } from '../../src/core/receiver/intake.ts'
import { DEFAULT_LIMITS, type ReceiverLimits } from '../../src/core/receiver/limits.ts'
import { startReceiver } from '../../src/core/receiver/receiver.ts'
import type { Store } from '../../src/core/store/store.ts'
import type { Delivery } from '../../src/shared/model/delivery.ts'
import { EVERYTHING } from '../../src/shared/query/query.ts'
import { storeInFolder } from './in-folder.ts'
import { closeAtEnd, temporaryFolder } from './temporary-folder.ts'
import { testDeps } from './test-core.ts'

export interface TestReceiver {
  readonly url: string
  readonly httpUrl: string
  readonly caFile: string
  readonly store: Store
  readonly registry: Registry
  readonly bugs: readonly unknown[]
  /** All deliveries, oldest first. */
  deliveries(): Promise<Delivery[]>
}

export interface TestReceiverOptions {
  readonly limits?: Partial<ReceiverLimits>
  isPaused?(): boolean
}

export async function startTestReceiver({
  limits,
  isPaused,
}: TestReceiverOptions = {}): Promise<TestReceiver> {
  const folder = temporaryFolder()
  const { clock, ids, log, randomBytes, bugs } = testDeps(folder)
  const identity = await openIdentity({ dataFolder: folder, clock, log, randomBytes })
  closeAtEnd(identity.close)
  const store = await storeInFolder(folder, { log })
  const registry = createRegistry()
  const intake = createIntake({
    registry,
    store,
    ids,
    ownSends: createOwnSends(clock),
    arrivals: createArrivals(),
    answerer: () => null,
    isPaused: isPaused ?? (() => false),
    onStored: () => undefined,
    onAnswered: () => undefined,
    onUnstored: () => undefined,
  })
  const receiver = await startReceiver({
    identity,
    clock,
    log,
    limits: { ...DEFAULT_LIMITS, ...limits },
    host: '127.0.0.1',
    port: 0,
    httpPort: 0,
    take: intake.take,
    startOverflow: intake.startOverflow,
  })
  closeAtEnd(receiver.close)
  return {
    url: `https://127.0.0.1:${receiver.port}`,
    httpUrl: `http://127.0.0.1:${receiver.httpPort}`,
    caFile: identity.caFile,
    store,
    registry,
    bugs,
    async deliveries() {
      await store.settled()
      const { seqs } = await store.search.find(EVERYTHING, {})
      return (await store.read('bySeq', seqs)).toReversed()
    },
  }
}
