/** The tunnel, the programs that there are for one, and what a test of the public address has found. */
import type { StateCreator } from 'zustand/vanilla'
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { AddressTest, TunnelProgram, TunnelStatus } from '../../../shared/model/tunnel.ts'
import { isQuiet, sentenceOf, type SliceContext } from '../../state/slice-context.ts'
import { outcomeOf, type Outcome } from '../../ui/call-problem.ts'

export interface TunnelSlice {
  /** Null until it was read. */
  readonly tunnel: TunnelStatus | null
  /** Null until they were looked for. */
  readonly tunnelPrograms: readonly TunnelProgram[] | null
  tunnelChanged(tunnel: TunnelStatus): void
  /** Reads how the tunnel is; `sync.ts` does it with each snapshot. */
  readTunnel(): Promise<void>
  /** Looks which programs are installed. */
  findTunnelPrograms(): Promise<void>
  startTunnel(input: InputOf<'tunnels.start'>): Promise<Outcome<TunnelStatus>>
  stopTunnel(): Promise<Outcome<TunnelStatus>>
  setTunnelToken(token: string | null): Promise<Outcome<unknown>>
  testPublicAddress(): Promise<Outcome<AddressTest>>
}

export function createTunnelSlice({ client, notify }: SliceContext): StateCreator<TunnelSlice> {
  return (set) => {
    const keeping = async (call: Promise<TunnelStatus>): Promise<Outcome<TunnelStatus>> => {
      const outcome = await outcomeOf(call)
      if (outcome.ok) set({ tunnel: outcome.value })
      return outcome
    }
    return {
      tunnel: null,
      tunnelPrograms: null,
      tunnelChanged(tunnel) {
        set({ tunnel })
      },
      async readTunnel() {
        try {
          set({ tunnel: await client.call('tunnels.status', {}) })
        } catch (error) {
          if (!isQuiet(error)) notify({ tone: 'bad', title: 'The tunnel could not be read', message: sentenceOf(error) })
        }
      },
      async findTunnelPrograms() {
        try {
          set({ tunnelPrograms: (await client.call('tunnels.programs', {})).programs })
        } catch (error) {
          if (!isQuiet(error))
            notify({ tone: 'bad', title: 'Programs for tunnels could not be looked for', message: sentenceOf(error) })
        }
      },
      startTunnel: (input) => keeping(client.call('tunnels.start', input)),
      stopTunnel: () => keeping(client.call('tunnels.stop', {})),
      async setTunnelToken(token) {
        const outcome = await outcomeOf(client.call('tunnels.setToken', { provider: 'ngrok', token }))
        if (outcome.ok) set({ tunnelPrograms: outcome.value.programs })
        return outcome
      },
      testPublicAddress: () => outcomeOf(client.call('tunnels.test', {})),
    }
  }
}
