/** The desktop app: the preload's bridge is the transport, and it is there as long as the window is. */
import { createClient } from '../../shared/rpc/client.ts'
import type { Capabilities } from '../../shared/contract/native.ts'
import type { Transport } from '../../shared/rpc/transport.ts'
import type { Host } from './host.ts'

export interface Bridge extends Transport {
  readonly capabilities: Capabilities
}

export function createBridgeHost(bridge: Bridge): Host {
  return {
    capabilities: bridge.capabilities,
    client: createClient(bridge),
    onConnection(listener) {
      listener({ phase: 'open' })
      return () => undefined
    },
  }
}
