/** What is said of a target while it is typed, by the kind of its host. */
import type { TargetKind } from '../../../shared/http/target-kind.ts'

export const targetWords: Readonly<Record<Exclude<TargetKind, 'none'>, string>> = {
  receiver: 'Countersign’s own receiver: it arrives here as a new delivery, marked as a replay.',
  here: 'On this machine.',
  network: 'In your network, not on this machine: you are asked before anything goes there.',
  elsewhere: 'Not this machine, unless its name leads here: you are asked before anything goes there.',
}
