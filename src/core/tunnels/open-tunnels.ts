/** Assembles the tunnels of this process: their memory, the tunnel tools, and the test of a public URL. */
import { join } from 'node:path'
import type { TunnelStatus } from '../../shared/model/tunnel.ts'
import type { ReceiverStatus } from '../../shared/model/status.ts'
import type { Clock, Log } from '../base/deps.ts'
import type { Guard } from '../outgoing/wire/guarded-sender.ts'
import { hostOf } from '../outgoing/wire/target-policy.ts'
import type { Store } from '../store/store.ts'
import type { Vault } from '../hooks/vault.ts'
import { createCloudflared } from './cloudflared.ts'
import { openTunnelMemory } from './memory.ts'
import { createNgrok } from './ngrok.ts'
import type { Probes } from './probes.ts'
import { testAddress } from './test-address.ts'
import { createTunnels, type Tunnels } from './tunnels.ts'

export interface OpenTunnelsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly vault: Pick<Vault, 'seal' | 'open' | 'sealAgain'>
  readonly clock: Clock
  readonly log: Log
  readonly guard: Guard
  readonly probes: Probes
  readonly capture: {
    status(): ReceiverStatus
    setPublicUrl(url: string | null): Promise<ReceiverStatus>
  }
  readonly dataFolder: string
  readonly caFile: string
  /** Where to look for programs, and their environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  onChanged(status: TunnelStatus): void
}

export async function openTunnels(deps: OpenTunnelsDeps): Promise<Tunnels> {
  const { capture, clock, guard, probes, dataFolder, env } = deps
  const memory = await openTunnelMemory(deps)
  const { publicUrl } = capture.status()
  // A tunnel ends with its process, so the last run's URL leads nowhere.
  if (publicUrl !== null && memory.addresses().includes(publicUrl)) await capture.setPublicUrl(null)
  return createTunnels({
    clock,
    log: deps.log,
    memory,
    adapters: [
      createCloudflared({ folder: join(dataFolder, 'tunnel'), env, platform: process.platform }),
      createNgrok({ dataFolder }),
    ],
    caFile: deps.caFile,
    receiver: capture.status,
    setPublicUrl: (url) => capture.setPublicUrl(url),
    async test(url, signal) {
      // By setting the URL, the user allowed its host, because the service should send there.
      const policy = guard.policyFor([hostOf(new URL(url))])
      const sender = guard.createSender({ policy, keepAlive: false })
      try {
        return await testAddress(url, { clock, probes, sender }, signal)
      } finally {
        await sender.close()
      }
    },
    onChanged: deps.onChanged,
  })
}
