/** Chooses the host of this window, here and nowhere else: the bridge of the desktop app, or the loopback host. */
import type { Capabilities } from '../../shared/contract/native.ts'
import { createClient } from '../../shared/rpc/client.ts'
import { BRIDGE, type Transport } from '../../shared/rpc/transport.ts'
import type { Host } from './host.ts'
import { createBrowserHost } from './loopback-host.ts'

export interface Bridge extends Transport {
  readonly capabilities: Capabilities
}

/** The desktop app: the preload's bridge is the transport, and it is there as long as the window is. */
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
