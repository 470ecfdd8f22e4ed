/** The tunnel, and the test of the public URL. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { AddressTest, TunnelStatus } from '../../../shared/model/tunnel.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { outcomeOf, type CallResult } from '../../ui/call-problem.ts'

export interface TunnelSlice {
  /** Null until loaded. */
  readonly state: TunnelStatus | null
  changed(tunnel: TunnelStatus): void
  /** Loads the tunnel's status. `sync.ts` calls it with each snapshot. */
  read(): Promise<void>
  start(input: InputOf<'tunnels.start'>): Promise<CallResult<TunnelStatus>>
  stop(): Promise<CallResult<TunnelStatus>>
  testPublicAddress(): Promise<CallResult<AddressTest>>
}

export function createTunnelSlice({ client, act, set }: FeatureTools<TunnelSlice>): TunnelSlice {
  return {
    state: null,
    changed(tunnel) {
      set({ state: tunnel })
    },
    async read() {
      await act("Couldn't load the tunnel", async () => {
        set({ state: await client.call('tunnels.status', {}) })
      })
    },
    start: (input) => outcomeOf(client.call('tunnels.start', input)),
    stop: () => outcomeOf(client.call('tunnels.stop', {})),
    testPublicAddress: () => outcomeOf(client.call('tunnels.test', {})),
  }
}
