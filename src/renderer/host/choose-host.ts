/** Chooses this window's host: the desktop app's bridge or the loopback host. */
import type { Capabilities } from '../../shared/contract/native.ts'
import { RpcClient } from '../../shared/rpc/client.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { BRIDGE, type Transport } from '../../shared/rpc/transport.ts'
import { createBrowserHost } from './browser-host.ts'
import type { ConnectionState, Host } from './host.ts'

export interface Bridge extends Transport {
  readonly capabilities: Capabilities
}

/** Returns the text for a bug report that a failed start sends along. */
function detailsOf({ details, message }: AppError): string {
  const text =
    typeof details === 'object' && details !== null && 'text' in details ? details.text : null
  return typeof text === 'string' ? text : message
}

/**
 * Creates the desktop app's host on the preload's bridge; any response but a failed start means
 * that the core is open.
 */
export function createBridgeHost(bridge: Bridge): Host {
  const client = new RpcClient(bridge)
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
