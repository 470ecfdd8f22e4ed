/** Words for the changes and counts of sends. */
import { isForged } from './replay-edits.ts'
import type { Replay, Send, SendFailureKind } from './send.ts'

export function changeWords({ tamper, edited }: Pick<Send, 'tamper' | 'edited'>): string[] {
  return [
    ...(tamper === null ? [] : [`tampered: ${tamper}`]),
    ...(edited.length === 0 ? [] : [`changed ${edited.join(', ')}`]),
  ]
}

/** Lists how a replay's requests differ, and what signs them. */
export function replayChangeWords(
  replay: Pick<Replay, 'tamper' | 'edited' | 'hookId' | 'registeredUrl'>,
): string[] {
  const { hookId, registeredUrl } = replay
  return [
    ...changeWords(replay),
    ...(hookId === null ? [] : [`signed with the secret of hook ${hookId}`]),
    ...(registeredUrl === null ? [] : [`signed over ${registeredUrl}`]),
  ]
}

export function countsOf(
  replay: Replay,
): readonly { readonly count: number; readonly what: string }[] {
  const word = isForged(replay) ? 'rejected' : 'acknowledged'
  const counts = [
    { count: replay.passed, what: word },
    { count: replay.failed, what: `not ${word}` },
    { count: replay.recorded, what: 'recorded here' },
    { count: replay.fixed, what: isForged(replay) ? 'now rejected' : 'fixed' },
    { count: replay.regressed, what: isForged(replay) ? 'no longer rejected' : 'regressed' },
    { count: replay.notSent, what: "couldn't be sent" },
    { count: replay.cancelled, what: 'cancelled' },
    {
      count: replay.uncertain,
      what: `uncertain: may have been sent before Countersign stopped${replay.state === 'cancelled' ? '' : ', then sent again'}`,
    },
  ]
  return counts.filter(({ count }) => count > 0)
}

/** Why there was no response, in one or two words. */
export const failureKinds: Readonly<Record<SendFailureKind, string>> = {
  timeout: 'Timeout',
  refused: 'Refused',
  'unknown-host': 'Unknown host',
  certificate: 'Certificate',
  tls: 'TLS error',
  dropped: 'Dropped',
  'not-http': 'Not HTTP',
  'not-allowed': 'Not allowed',
  cancelled: 'Cancelled',
  other: 'No response',
}

/** Why an endpoint wasn't reached, in a few words. */
export const unreachable: Readonly<Record<SendFailureKind, string>> = {
  ...failureKinds,
  timeout: 'Timed out',
  refused: 'Connection refused',
  'unknown-host': 'Host not found',
  certificate: 'Certificate not trusted',
  tls: 'TLS failed',
  dropped: 'Connection closed',
  other: 'Not reachable',
}
