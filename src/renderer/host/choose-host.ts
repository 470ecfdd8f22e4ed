/** Chooses this window's host: the desktop app's bridge or the loopback host. The only place that decides this. */
import type { Capabilities } from '../../shared/contract/native.ts'
import { createClient } from '../../shared/rpc/client.ts'
import { BRIDGE, type Transport } from '../../shared/rpc/transport.ts'
import type { Host } from './host.ts'
import { createBrowserHost } from './loopback-host.ts'

export interface Bridge extends Transport {
  readonly capabilities: Capabilities
}

/** The desktop app: the preload's bridge is the transport, available as long as the window exists. */
function createBridgeHost(bridge: Bridge): Host {
  return {
    capabilities: bridge.capabilities,
    client: createClient(bridge),
    onConnection(listener) {
      listener({ phase: 'open' })
      return () => undefined
    },
  }
}

export function chooseHost(): Host {
  const bridge = (window as unknown as Record<string, unknown>)[BRIDGE]
  return bridge === undefined ? createBrowserHost() : createBridgeHost(bridge as Bridge)
}
