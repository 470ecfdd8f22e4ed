/** The receiver as users see it: its state, its remembered port and its public URL. */
import { AppError } from '../../shared/contract/errors.ts'
import { urlHost } from '../../shared/http.ts'
import type { ReceiverStatus } from '../../shared/model/status.ts'
import type { EventHub } from '../base/event-hub.ts'
import { PUBLIC_URL } from '../settings/settings.ts'
import { startReceiver, type Receiver } from '../receiver/server.ts'
import type { Store } from '../store/store.ts'
import type { Ports } from '../settings/ports.ts'
import type { CoreOptions } from './core.ts'

interface CaptureDeps {
  readonly serve: NonNullable<CoreOptions['serve']>
  readonly hub: Pick<EventHub, 'emit'>
  readonly ports: Ports
  readonly store: Pick<Store, 'read' | 'write'>
}

/** Listens on a port, or on any free one if a remembered port is in use. */
async function listenSomewhere(
  listen: (port: number) => Promise<Receiver>,
  chosen: number,
  isRemembered: boolean,
): Promise<Receiver> {
  try {
    return await listen(chosen)
  } catch (error) {
    if (isRemembered && chosen !== 0 && error instanceof AppError && error.code === 'PORT_IN_USE')
      return listen(0)
    throw error
  }
}

export async function openReceiverControl({ hub, ports, serve, store }: CaptureDeps) {
  const { host, receiverPort, receiverHttpPort, whenPortBusy = 'fail' } = serve
  let receiver: Receiver | null = null
  let paused = false
  let publicUrl = (await store.read('setting', PUBLIC_URL)) || null
  let problem: string | null = null

  const status = (): ReceiverStatus => ({
    state:
      problem !== null ? 'failed' : receiver === null ? 'off' : paused ? 'paused' : 'listening',
    url: receiver === null ? null : `https://${urlHost(host)}:${receiver.port}`,
    publicUrl,
    httpUrl: receiver?.httpPort == null ? null : `http://${urlHost(host)}:${receiver.httpPort}`,
    problem,
  })
  const reportStatus = (): ReceiverStatus => {
    const now = status()
    hub.emit('receiver.changed', now)
    return now
  }

  return {
    /** Starts listening. Rejects if the port is busy and `whenPortBusy` is `fail`. */
    async start(parts: Omit<Parameters<typeof startReceiver>[0], 'host' | 'port' | 'httpPort'>) {
      const port = (await ports.choose('receiver', receiverPort)) ?? 0
      const httpPort = await ports.choose('receiverHttp', receiverHttpPort)
      const listen = (candidate: number) =>
        startReceiver({ ...parts, host, port: candidate, httpPort })
      try {
        receiver = await listenSomewhere(listen, port, receiverPort === 0)
      } catch (error) {
        if (whenPortBusy === 'fail' || !(error instanceof AppError)) throw error
        problem = error.message
        reportStatus()
        return
      }
      if (receiverPort === 0) await ports.remember('receiver', receiver.port)
      if (receiverHttpPort === 0 && receiver.httpPort !== null)
        await ports.remember('receiverHttp', receiver.httpPort)
      reportStatus()
    },
    isPaused: () => paused,
    setPaused(next: boolean): ReceiverStatus {
      paused = next
      return reportStatus()
    },
    async setPublicUrl(url: string | null): Promise<ReceiverStatus> {
      publicUrl = url === null ? null : url.replace(/(?<!\/)\/+$/, '')
      await store.write('writeSetting', { name: PUBLIC_URL, value: publicUrl ?? '' })
      return reportStatus()
    },
    status,
    close: async () => {
      await receiver?.close()
    },
  }
}
