/** Chooses this window's host: the desktop app's bridge or the loopback host. The only place that decides this. */
import type { Capabilities } from '../../shared/contract/native.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { createClient } from '../../shared/rpc/client.ts'
import { BRIDGE, type Transport } from '../../shared/rpc/transport.ts'
import type { ConnectionState, Host } from './host.ts'
import { createBrowserHost } from './loopback-host.ts'

export interface Bridge extends Transport {
  readonly capabilities: Capabilities
}

/** The text that a failed start sends along. */
function detailsOf({ details, message }: AppError): string {
  const text =
    typeof details === 'object' && details !== null && 'text' in details ? details.text : null
  return typeof text === 'string' ? text : message
}

/**
 * The desktop app: the preload's bridge is the transport, available as long as the window exists. The first response shows that the
 * core is open, whatever it says, or that it can't open.
 */
export function createBridgeHost(bridge: Bridge): Host {
  const client = createClient(bridge)
  return {
    capabilities: bridge.capabilities,
    client,
    onConnection(listener) {
      let isHeard = true
      const tell = (state: ConnectionState) => {
        if (isHeard) listener(state)
      }
      tell({ phase: 'starting' })
      client.call('app.status', {}).then(
        () => tell({ phase: 'open' }),
        (error: unknown) => {
          if (!(error instanceof AppError) || error.code !== 'START_FAILED') tell({ phase: 'open' })
          else tell({ phase: 'failed', reason: error.message, details: detailsOf(error) })
        },
      )
      return () => {
        isHeard = false
      }
    },
  }
}

export function chooseHost(): Host {
  const bridge = (window as unknown as Record<string, unknown>)[BRIDGE]
  return bridge === undefined ? createBrowserHost() : createBridgeHost(bridge as Bridge)
}
