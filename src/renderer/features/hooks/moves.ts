/** Which hooks still point to an address that is not the public one: those of earlier tunnels, and this machine's own. */
import type { Hook } from '../../../shared/model/hook.ts'
import type { ReceiverStatus } from '../../../shared/model/status.ts'
import type { TunnelStatus } from '../../../shared/model/tunnel.ts'
import { hooksUnder } from './hook-status.ts'
import type { Move } from './repoint-hooks.tsx'

/** Hooks under addresses that lead nowhere any more; none where there is no address to move them to. */
export function strandedMoves(tunnel: TunnelStatus | null, receiver: ReceiverStatus, hooks: readonly Hook[]): readonly Move[] {
  const to = receiver.publicUrl ?? receiver.url
  if (to === null || tunnel === null) return []
  return tunnel.earlier.filter((from) => from !== to && hooksUnder(hooks, from).length > 0).map((from) => ({ from, to }))
}

/** The same, and those that only this machine reaches, once there is a public address. */
export function possibleMoves(tunnel: TunnelStatus | null, receiver: ReceiverStatus, hooks: readonly Hook[]): readonly Move[] {
  const { url, publicUrl } = receiver
  const own = publicUrl === null || url === null || hooksUnder(hooks, url).length === 0 ? [] : [{ from: url, to: publicUrl }]
  return [...strandedMoves(tunnel, receiver, hooks), ...own]
}

/** How many hooks a move is about, as a sentence begins. */
export function pointsStill(hooks: readonly Hook[], { from }: Move): string {
  const count = hooksUnder(hooks, from).length
  return count === 1 ? '1 hook still points' : `${count} hooks still point`
}
