/** Changes of a replay, without zod, because the store's threads load this at every start. */
import type { EditedPart, ReplayEdits, Send, Tamper } from './send.ts'

export const NO_EDITS: ReplayEdits = {
  method: null,
  headers: null,
  setHeaders: [],
  signature: 'recompute',
  timestamp: 'now',
}

export function editedParts(edits: ReplayEdits, hasBody: boolean): EditedPart[] {
  const isEdited: Readonly<Record<EditedPart, boolean>> = {
    method: edits.method !== null,
    headers: edits.headers !== null || edits.setHeaders.length > 0,
    body: hasBody || edits.set !== undefined,
    signature: edits.signature !== 'recompute',
    timestamp: edits.timestamp !== 'now',
  }
  return (Object.keys(isEdited) as EditedPart[]).filter((part) => isEdited[part])
}

/** Whether an endpoint should reject this send. */
export function isForged({ tamper, edited }: Pick<Send, 'tamper' | 'edited'>): boolean {
  return tamper !== null || edited.includes('signature') || edited.includes('timestamp')
}

/** Whether a response rejects the request: only a complete 4xx does. */
export function isRejection({ status, error }: Pick<Send, 'status' | 'error'>): boolean {
  return error === null && status !== null && status >= 400 && status < 500
}

/** Returns the URL that a send signs; `--tamper url` changes it. */
export function signedUrlOf(url: string, tamper: Tamper | null): string {
  return tamper === 'url' ? `${url}${url.includes('?') ? '&' : '?'}other=1` : url
}
