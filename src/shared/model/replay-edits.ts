/**
 * What a replay changes in the captured request, computed without schemas (`send.ts` has them): the store's threads load this at
 * every start.
 */
import type { EditedPart, ReplayEdits, Send, Tamper } from './send.ts'

export const NO_EDITS: ReplayEdits = {
  method: null,
  headers: null,
  setHeaders: [],
  signature: 'recompute',
  timestamp: 'now',
}

/** Names of the parts that differ from the captured request. */
export function editedParts(edits: ReplayEdits, hasBody: boolean): EditedPart[] {
  const parts: [EditedPart, boolean][] = [
    ['method', edits.method !== null],
    ['headers', edits.headers !== null || edits.setHeaders.length > 0],
    ['body', hasBody || edits.set !== undefined],
    ['signature', edits.signature !== 'recompute'],
    ['timestamp', edits.timestamp !== 'now'],
  ]
  return parts.flatMap(([part, is]) => (is ? [part] : []))
}

/** Whether an endpoint should reject this send: it was tampered with, or its signature or timestamp was not replaced. */
export function isForged({ tamper, edited }: Pick<Send, 'tamper' | 'edited'>): boolean {
  return tamper !== null || edited.includes('signature') || edited.includes('timestamp')
}

/** Whether a response rejects the request: only a complete 4xx does. A 5xx, a redirect or no response is a failure. */
export function isRejection({ status, error }: Pick<Send, 'status' | 'error'>): boolean {
  return error === null && status !== null && status >= 400 && status < 500
}

/** The URL that a send actually signs. `url`: the URL signed without tampering. Only one kind of tampering changes it (docs/replay.md). */
export function signedUrlOf(url: string, tamper: Tamper | null): string {
  return tamper === 'url' ? `${url}${url.includes('?') ? '&' : '?'}other=1` : url
}
