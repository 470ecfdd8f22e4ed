/** Creates a plain replay and its sends as the store receives them. */
import { NO_EDITS } from '../../src/shared/model/replay-edits.ts'
import type { NewReplay } from '../../src/core/store/replays.ts'
import type { EndedSend } from '../../src/core/store/record-sends.ts'

const TARGET = 'http://127.0.0.1:1/'

export const SETTINGS: NewReplay['settings'] = {
  query: null,
  to: null,
  hookId: null,
  handlerId: null,
  registeredUrl: null,
  tamper: null,
  edits: NO_EDITS,
  repeat: 1,
  concurrency: 2,
  rate: null,
  targetCa: null,
  comparison: null,
}

export function jobOf(id: string, seqs: readonly number[]): NewReplay {
  return {
    id,
    createdAt: 1,
    owner: 1,
    settings: SETTINGS,
    body: null,
    plan: { targets: { '': TARGET }, variant: null },
    reached: 0,
    seqs: Float64Array.from(seqs),
  }
}

export function endedSend(
  of: Pick<EndedSend, 'replayId' | 'position' | 'deliverySeq'> & Partial<EndedSend>,
): EndedSend {
  return {
    kind: 'replay',
    target: TARGET,
    handlerId: null,
    tamper: null,
    variant: null,
    state: 'settled',
    startedAt: 1_000 + of.position,
    registeredUrl: 'https://example.test/in',
    status: 200,
    ms: 1,
    phases: null,
    errorKind: null,
    error: null,
    passed: true,
    forged: false,
    certificateProblem: null,
    headers: [],
    body: new Uint8Array(),
    truncated: false,
    request: null,
    ...of,
  }
}
