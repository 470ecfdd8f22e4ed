/** The tunnel, the installed tunnel tools, and the result of testing the public URL. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { AddressTest, TunnelProgram, TunnelStatus } from '../../../shared/model/tunnel.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { outcomeOf, type CallResult } from '../../ui/call-problem.ts'

export interface TunnelSlice {
  /** Null until loaded. */
  readonly state: TunnelStatus | null
  /** Null until looked for. */
  readonly programs: readonly TunnelProgram[] | null
  changed(tunnel: TunnelStatus): void
  /** Loads the tunnel's status. `sync.ts` calls it with each snapshot. */
  read(): Promise<void>
  /** Looks for installed tunnel tools. */
  findPrograms(): Promise<void>
  start(input: InputOf<'tunnels.start'>): Promise<CallResult<TunnelStatus>>
  stop(): Promise<CallResult<TunnelStatus>>
  setToken(token: string | null): Promise<CallResult<unknown>>
  testPublicAddress(): Promise<CallResult<AddressTest>>
}

export function createTunnelSlice({ client, act, set }: FeatureTools<TunnelSlice>): TunnelSlice {
  const keeping = async (call: Promise<TunnelStatus>): Promise<CallResult<TunnelStatus>> => {
    const outcome = await outcomeOf(call)
    if (outcome.ok) set({ state: outcome.value })
    return outcome
  }
  return {
    state: null,
    programs: null,
    changed(tunnel) {
      set({ state: tunnel })
    },
    async read() {
      await act("Couldn't load the tunnel", async () => {
        set({ state: await client.call('tunnels.status', {}) })
      })
    },
    async findPrograms() {
      await act("Couldn't look for tunnel tools", async () => {
        set({ programs: (await client.call('tunnels.programs', {})).programs })
      })
    },
    start: (input) => keeping(client.call('tunnels.start', input)),
    stop: () => keeping(client.call('tunnels.stop', {})),
    async setToken(token) {
      const outcome = await outcomeOf(client.call('tunnels.setToken', { provider: 'ngrok', token }))
      if (outcome.ok) set({ programs: outcome.value.programs })
      return outcome
    },
    testPublicAddress: () => outcomeOf(client.call('tunnels.test', {})),
  }
}
