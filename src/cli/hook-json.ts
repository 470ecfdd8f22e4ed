/** A hook with exactly the names that scripts depend on. Header values may be credentials, so they are masked like secrets. */
import type { Hook } from '../shared/model/hook.ts'
import { MASK } from '../shared/text/masked.ts'

/** One object of `hooks list --json`; `secret` only where it was asked for, null where nobody here knows it. */
export function hookJson(hook: Hook, secret: string | null | undefined): Record<string, unknown> {
  const { id, remoteId, kind, event, url, programId, offerId, headers, environment, mode, path, status, createdAt } = hook
  const shownHeaders = secret === undefined ? Object.fromEntries(Object.keys(headers).map((name) => [name, MASK])) : headers
  const shown = {
    id,
    remoteId,
    kind,
    event,
    url,
    programId,
    offerId,
    headers: shownHeaders,
    environment,
    mode,
    path,
    status,
    createdAt,
  }
  return secret === undefined ? shown : { ...shown, secret }
}
