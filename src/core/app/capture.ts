/** The receiver as the user sees it: listening, paused or failed, on a remembered port. */
import { AppError } from '../../shared/contract/errors.ts'
import { urlHost } from '../../shared/http.ts'
import type { ReceiverStatus } from '../../shared/model/status.ts'
import type { Core, CoreOptions } from './core.ts'
import type { Closer } from '../base/async.ts'
import type { Clock, Deps, Log } from '../base/deps.ts'
import { openIdentity, type TlsIdentity } from '../receiver/identity.ts'
import type { Intake } from '../receiver/intake.ts'
import { DEFAULT_LIMITS } from '../receiver/limits.ts'
import { startReceiver, type Receiver } from '../receiver/receiver.ts'

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
