/** Decides, here and nowhere else, which host this window has. */
import { BRIDGE } from '../../shared/rpc/transport.ts'
import { createBridgeHost, type Bridge } from './bridge-host.ts'
import type { Host } from './host.ts'
import { createBrowserHost } from './loopback-host.ts'

export function chooseHost(): Host {
  const bridge = (window as unknown as Record<string, unknown>)[BRIDGE]
  return bridge === undefined ? createBrowserHost() : createBridgeHost(bridge as Bridge)
}
