/**
 * Composes everything that listens: the computer's own TLS identity, the receiver with its request handling, and the sandbox.
 * Loaded only when serving: a command that only reads the store needs none of these libraries.
 */
import type { Closer } from '../base/async.ts'
import type { Deps } from '../base/deps.ts'
import { createArrivals, type OwnSends } from '../outgoing/own-sends.ts'
import { createFlowServices } from '../flows/run-service.ts'
import { type Answerer, createIntake, createProbes } from '../receiver/intake.ts'
import { type ServingParts, startSandbox } from './run-sandbox.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { urlHost } from '../../shared/http.ts'
import type { ReceiverStatus } from '../../shared/model/status.ts'
import { openIdentity, renewalTime, type TlsIdentity } from '../receiver/identity.ts'
import { DEFAULT_LIMITS } from '../receiver/request.ts'
import { startReceiver, type Receiver } from '../receiver/server.ts'

const PUBLIC_URL = 'receiver.public-url'

interface ReceivingDeps extends ServingParts, Pick<Deps, 'dataFolder'> {
  readonly ownSends: OwnSends
  /** The forward target that responds instead of the rule; null if there is none. */
  answerer(): Answerer | null
  /** The flow run that uses this hook; null if none does. */
  flowRunOf: Parameters<typeof createIntake>[0]['flowRunOf']
}

export type Receiving = Awaited<ReturnType<typeof startReceiving>>

/** Starts listening. Everything to close again is added to `closers`, in opening order, also if it rejects midway. */
export async function startReceiving(deps: ReceivingDeps, closers: Closer[]) {
  const { clock, hub, ids, log, records, serve } = deps
  const { environments, registry, store } = records
  const randomBytes = (count: number) => deps.randomBytes(count)

  const identity = await openIdentity({ dataFolder: deps.dataFolder, clock, log, randomBytes })
  closers.push(identity.close)
  const capture = createCapture(deps, identity, (await store.read('setting', PUBLIC_URL)) || null)
  closers.push(capture.close)
  const arrivals = createArrivals()
  const probes = createProbes(randomBytes)
  const take = createIntake({
    registry,
    store,
    hub,
    ids,
    log,
    ownSends: deps.ownSends,
    arrivals,
    probes,
    answerer: () => deps.answerer(),
    isPaused: capture.isPaused,
    flowRunOf: (hookId) => deps.flowRunOf(hookId),
  })
  await capture.start(take)

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
  const { ports, registry, settings, store } = records
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
    async start(take: ReturnType<typeof createIntake>) {
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
          take,
          judgeStream: registry.judgeStream,
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
