/**
 * Composes everything that listens: the computer's own TLS identity, the receiver with its request handling, and the sandbox.
 * Loaded only when serving: a command that only reads the store needs none of these libraries.
 */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Closer } from '../base/async.ts'
import type { Deps } from '../base/deps.ts'
import { createArrivals, type OwnSends } from '../outgoing/own-sends.ts'
import { createFlowServices } from '../flows/run-service.ts'
import type { Answerer } from '../receiver/ruling.ts'
import { renewalTime } from '../receiver/certificates.ts'
import { createIntake, type Intake, type IntakeDeps } from '../receiver/intake.ts'
import { type ServingParts, startSandbox } from './run-sandbox.ts'
import { createProbes, withoutProbes } from '../receiver/probes.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { urlHost } from '../../shared/http.ts'
import type { ReceiverStatus } from '../../shared/model/status.ts'
import { openIdentity, type TlsIdentity } from '../receiver/identity.ts'
import { DEFAULT_LIMITS } from '../receiver/limits.ts'
import { startReceiver, type Receiver } from '../receiver/receiver.ts'

const PUBLIC_URL = 'receiver.public-url'

interface ReceivingDeps extends ServingParts, Pick<Deps, 'dataFolder'> {
  readonly ownSends: OwnSends
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
  const { clock, ids, log, records, serve } = deps
  const { environments, feed, registry, store } = records
  const randomBytes = (count: number) => deps.randomBytes(count)

  const identity = await openIdentity({ dataFolder: deps.dataFolder, clock, log, randomBytes })
  closers.push(identity.close)
  const capture = createCapture(deps, identity, (await store.read('setting', PUBLIC_URL)) || null)
  closers.push(capture.close)
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
    serve.withoutSandbox === true ? null : await startSandbox(deps, identity, arrivals)
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

/** `rememberedUrl`: the public URL from before. */
function createCapture(
  { clock, hub, log, records, serve }: ReceivingDeps,
  identity: TlsIdentity,
  rememberedUrl: string | null,
) {
  const { ports, settings, store } = records
  const { host, receiverPort, receiverHttpPort, whenPortBusy = 'fail' } = serve
  let receiver: Receiver | null = null
  let paused = false
  let publicUrl = rememberedUrl
  let problem: string | null = null

  const status = (): ReceiverStatus => ({
    state:
      problem !== null ? 'failed' : receiver === null ? 'off' : paused ? 'paused' : 'listening',
    url: receiver === null ? null : `https://${urlHost(host)}:${receiver.port}`,
    publicUrl,
    httpUrl: receiver?.httpPort == null ? null : `http://${urlHost(host)}:${receiver.httpPort}`,
    problem,
  })
  const changed = (): ReceiverStatus => {
    const now = status()
    hub.emit('receiver.changed', now)
    return now
  }

  return {
    /** Starts listening; rejects if it can't and should fail. */
    async start(intake: Intake) {
      const port = (await ports.choose('receiver', receiverPort)) ?? 0
      const httpPort = await ports.choose('receiverHttp', receiverHttpPort)
      const listen = (wanted: number) =>
        startReceiver({
          identity,
          clock,
          log,
          limits: { ...DEFAULT_LIMITS, bodyBytes: () => settings.current().bodyLimit },
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
        changed()
        return
      }
      if (receiverPort === 0) await ports.remember('receiver', receiver.port)
      if (receiverHttpPort === 0 && receiver.httpPort !== null)
        await ports.remember('receiverHttp', receiver.httpPort)
      changed()
    },
    isPaused: () => paused,
    setPaused(next: boolean): ReceiverStatus {
      paused = next
      return changed()
    },
    /** Stores or removes the public URL. */
    async setPublicUrl(url: string | null): Promise<ReceiverStatus> {
      publicUrl = url === null ? null : url.replace(/\/+$/, '')
      await store.write('writeSetting', { name: PUBLIC_URL, value: publicUrl ?? '' })
      return changed()
    },
    status,
    close: async () => {
      await receiver?.close()
    },
  }
}
