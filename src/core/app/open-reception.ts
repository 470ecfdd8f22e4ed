/** Opens the receiver, which starts to listen only in `start-serving.ts`. */
import type { ReceiverStatus } from '../../shared/model/status.ts'
import type { Deps } from '../base/deps.ts'
import type { CoreOptions } from './core.ts'
import type { Closers, StorageParts } from './open-storage.ts'

export type Reception = Awaited<ReturnType<typeof openReception>>

const OFF: ReceiverStatus = {
  state: 'off',
  url: null,
  publicUrl: null,
  httpUrl: null,
  problem: null,
}

/** Loads what only a serving core needs, so that other commands start faster. */
async function loadServing() {
  const [{ openIdentity }, { openReceiverControl }, { startSandbox }, { createFlowServices }] =
    await Promise.all([
      import('../receiver/identity.ts'),
      import('./capture.ts'),
      import('./run-sandbox.ts'),
      import('../flows/flow-service.ts'),
    ])
  return { openIdentity, openReceiverControl, startSandbox, createFlowServices }
}

/** Opens what only a serving core has: functions, options, identity and capture. */
async function openServing(
  { hub, ports, store }: StorageParts,
  deps: Deps,
  serve: NonNullable<CoreOptions['serve']>,
  closers: Closers,
) {
  const loaded = await loadServing()
  const identity = await loaded.openIdentity(deps)
  closers.add(identity.close)
  const capture = await loaded.openReceiverControl({ serve, hub, ports, store })
  closers.add(capture.close)
  return { ...loaded, serve, identity, capture }
}

/** Resolves with `serving`, null for a core that only uses the store. */
export async function openReception(
  storage: StorageParts,
  deps: Deps,
  { serve }: Pick<CoreOptions, 'serve'>,
  closers: Closers,
) {
  const serving = serve === null ? null : await openServing(storage, deps, serve, closers)
  return {
    serving,
    caPem: serving?.identity.caPem ?? null,
    receiver: (): ReceiverStatus => serving?.capture.status() ?? OFF,
  }
}
