/**
 * Composes everything that listens: the computer's own TLS identity, the receiver with its request handling, and the sandbox.
 * Loaded only when serving: a command that only reads the store needs none of these libraries.
 */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { openCapture } from './capture.ts'
import type { Closer } from '../base/async.ts'
import type { CoreOptions } from './core.ts'
import type { Deps } from '../base/deps.ts'
import { createArrivals, type OwnSends } from '../outgoing/own-sends.ts'
import type { EventHub } from '../base/event-hub.ts'
import { createFlowServices } from '../flows/run-service.ts'
import type { Answerer } from '../forward/answering.ts'
import { renewalTime } from '../receiver/certificates.ts'
import { createIntake } from '../receiver/intake.ts'
import type { Records } from './records.ts'
import { startSandbox } from './run-sandbox.ts'
import { createProbes, withoutProbes } from '../receiver/probes.ts'
import type { Vault } from '../hooks/vault.ts'

const PUBLIC_URL = 'receiver.public-url'

export interface ReceivingDeps extends Pick<Deps, 'clock' | 'dataFolder' | 'ids' | 'log'> {
  readonly serve: NonNullable<CoreOptions['serve']>
  readonly hub: EventHub
  readonly vault: Vault
  readonly records: Records
  readonly ownSends: OwnSends
  randomBytes(count: number): Uint8Array
  /** The forward target that responds instead of the rule; null if there is none. */
  answerer(): Answerer | null
  /** Receives each delivery once it is stored. */
  onStored(row: DeliveryRow): void
  /** The response of a stored delivery; `status` is null if none was sent. */
  onAnswered(
    row: DeliveryRow,
    answer: { readonly status: number | null; readonly ms: number },
  ): void
}

export type Receiving = Awaited<ReturnType<typeof startReceiving>>

/** Starts listening. Everything to close again is added to `closers`, in opening order, also if it rejects midway. */
export async function startReceiving(deps: ReceivingDeps, closers: Closer[]) {
  const { clock, hub, ids, log, records, serve, vault } = deps
  const { environments, feed, hooks, ports, registry, settings, store } = records
  const randomBytes = (count: number) => deps.randomBytes(count)

  const { identity, capture } = await openCapture(
    deps,
    {
      ports,
      serve,
      bodyLimit: () => settings.current().bodyLimit,
      publicUrl: (await store.read('setting', PUBLIC_URL)) || null,
      rememberPublicUrl: (url) =>
        store.write('writeSetting', { name: PUBLIC_URL, value: url ?? '' }),
      onChanged: (status) => hub.emit('receiver.changed', status),
    },
    closers,
  )
  const arrivals = createArrivals()
  const probes = createProbes(randomBytes)
  const intake = createIntake({
    registry,
    store,
    ids,
    ownSends: deps.ownSends,
    arrivals,
    answerer: () => deps.answerer(),
    isPaused: capture.isPaused,
    onStored: (row) => {
      feed.added(row)
      deps.onStored(row)
    },
    onAnswered: (row, answer) => deps.onAnswered(row, answer),
    onUnstored: (error) =>
      log.warn("A delivery couldn't be stored and got the response 503.", {
        reason: error.message,
      }),
  })
  await capture.start(withoutProbes(intake, probes))

  const sandbox =
    serve.withoutSandbox === true
      ? null
      : await startSandbox({
          clock,
          ids,
          log,
          randomBytes,
          identity,
          ports,
          environments,
          hooks,
          store,
          vault,
          arrivals,
          host: serve.host,
          port: serve.sandboxPort,
          anyPortWillDo: serve.whenPortBusy === 'show',
          onChanged: (parts) => hub.emit('sandbox.changed', { parts }),
        })
  if (sandbox !== null) closers.push(sandbox.close)

  return {
    /** This computer's CA certificate, as PEM. */
    caPem: identity.caPem,
    /** When the current certificate must be renewed, in milliseconds since the epoch. */
    renewalAt: () => renewalTime(identity.certificate().cert),
    capture,
    /** Requests that test a URL; they leave no delivery. */
    probes,
    /** Null if it is disabled. */
    sandbox,
    /** Starts a sandbox for a flow's run. */
    startFlowService: createFlowServices({
      clock,
      ids,
      log,
      randomBytes,
      identity,
      environments,
    }),
  }
}
