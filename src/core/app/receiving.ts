/**
 * Composes everything that listens: the computer's own TLS identity, the receiver with its request handling, and the sandbox.
 * Loaded only when serving: a command that only reads the store needs none of these libraries.
 */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Closer } from '../base/async.ts'
import type { CoreOptions, Core } from './core.ts'
import type { Deps, Clock, Log } from '../base/deps.ts'
import { createArrivals, type OwnSends } from '../outgoing/own-sends.ts'
import type { EventHub } from '../base/event-hub.ts'
import { createFlowServices } from '../flows/run-service.ts'
import type { Answerer } from '../forward/answering.ts'
import { renewalTime } from '../receiver/certificates.ts'
import { createIntake, type Intake, type IntakeDeps } from '../receiver/intake.ts'
import type { Records } from './records.ts'
import { startSandbox } from './run-sandbox.ts'
import { createProbes, withoutProbes } from '../receiver/probes.ts'
import type { Vault } from '../hooks/vault.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { urlHost } from '../../shared/http.ts'
import type { ReceiverStatus } from '../../shared/model/status.ts'
import { openIdentity, type TlsIdentity } from '../receiver/identity.ts'
import { DEFAULT_LIMITS } from '../receiver/limits.ts'
import { startReceiver, type Receiver } from '../receiver/receiver.ts'

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
  /** The flow run that uses this hook; null if none does. */
  flowRunOf: IntakeDeps['flowRunOf']
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
    flowRunOf: (hookId) => deps.flowRunOf(hookId),
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

// The receiver as the user sees it: listening, paused or failed, on a remembered port.

interface CaptureDeps {
  readonly identity: TlsIdentity
  readonly clock: Clock
  readonly log: Log
  readonly ports: Core['ports']
  readonly serve: NonNullable<CoreOptions['serve']>
  /** Current limit for stored body bytes. */
  bodyLimit(): number
  /** The public URL remembered from before. */
  readonly publicUrl: string | null
  rememberPublicUrl(url: string | null): Promise<void>
  onChanged(status: ReceiverStatus): void
}

export type Capture = ReturnType<typeof createCapture>

/** Listens on the chosen port; a remembered port that is in use is replaced by a free one. */
async function listenSomewhere(
  listen: (port: number) => Promise<Receiver>,
  chosen: number,
  isOurChoice: boolean,
): Promise<Receiver> {
  try {
    return await listen(chosen)
  } catch (error) {
    if (isOurChoice && chosen !== 0 && error instanceof AppError && error.code === 'PORT_IN_USE')
      return listen(0)
    throw error
  }
}

/** Opens this computer's TLS identity and a receiver that uses it. Both are added to `closers`. */
export async function openCapture(
  deps: Pick<Deps, 'clock' | 'dataFolder' | 'log' | 'randomBytes'>,
  options: Omit<CaptureDeps, 'identity' | 'clock' | 'log'>,
  closers: Closer[],
): Promise<{ readonly identity: TlsIdentity; readonly capture: Capture }> {
  const { clock, dataFolder, log } = deps
  const identity = await openIdentity({
    dataFolder,
    clock,
    log,
    randomBytes: (count) => deps.randomBytes(count),
  })
  closers.push(identity.close)
  const capture = createCapture({ ...options, identity, clock, log })
  closers.push(capture.close)
  return { identity, capture }
}

function createCapture(deps: CaptureDeps) {
  const { host, receiverPort, receiverHttpPort, whenPortBusy = 'fail' } = deps.serve
  let receiver: Receiver | null = null
  let paused = false
  let publicUrl: string | null = deps.publicUrl
  let problem: string | null = null

  const status = (): ReceiverStatus => ({
    state:
      problem !== null ? 'failed' : receiver === null ? 'off' : paused ? 'paused' : 'listening',
    url: receiver === null ? null : `https://${urlHost(host)}:${receiver.port}`,
    publicUrl,
    httpUrl: receiver?.httpPort == null ? null : `http://${urlHost(host)}:${receiver.httpPort}`,
    problem,
  })

  return {
    /** Starts listening; rejects if it can't and should fail. */
    async start(intake: Intake) {
      const { identity, clock, log, ports } = deps
      const port = (await ports.choose('receiver', receiverPort)) ?? 0
      const httpPort = await ports.choose('receiverHttp', receiverHttpPort)
      const listen = (wanted: number) =>
        startReceiver({
          identity,
          clock,
          log,
          limits: { ...DEFAULT_LIMITS, bodyBytes: () => deps.bodyLimit() },
          host,
          port: wanted,
          httpPort,
          take: intake.take,
          startOverflow: intake.startOverflow,
        })
      try {
        receiver = await listenSomewhere(listen, port, receiverPort === 0)
      } catch (error) {
        if (whenPortBusy === 'fail' || !(error instanceof AppError)) throw error
        problem = error.message
        deps.onChanged(status())
        return
      }
      if (receiverPort === 0) await ports.remember('receiver', receiver.port)
      if (receiverHttpPort === 0 && receiver.httpPort !== null)
        await ports.remember('receiverHttp', receiver.httpPort)
      deps.onChanged(status())
    },
    isPaused: () => paused,
    setPaused(next: boolean): ReceiverStatus {
      paused = next
      const now = status()
      deps.onChanged(now)
      return now
    },
    /** Stores or removes the public URL. */
    async setPublicUrl(url: string | null): Promise<ReceiverStatus> {
      publicUrl = url === null ? null : url.replace(/\/+$/, '')
      await deps.rememberPublicUrl(publicUrl)
      const now = status()
      deps.onChanged(now)
      return now
    },
    status,
    close: async () => {
      await receiver?.close()
    },
  }
}
