/** Commands whose input `masked` says what to hide in their output. */
import type { CommandName } from './contract.ts'

/** Commands whose output quotes deliveries or responses in any of its texts. */
export const QUOTING = [
  'deliveries.signature',
  'deliveries.schema',
  'deliveries.diagnose',
  'exchange.verify',
  'lifecycle.get',
  'lifecycle.attempts',
  'statistics.read',
  'replay.sends',
  'replay.ofDelivery',
  'shrink.get',
  'check.get',
  'flows.run',
  'flows.runs',
] as const satisfies readonly CommandName[]

export const MASKED: ReadonlySet<CommandName> = new Set<CommandName>([
  ...QUOTING,
  'deliveries.list',
  'deliveries.get',
  'exchange.mask',
  'replay.send',
])
