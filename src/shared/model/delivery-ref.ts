/** How a delivery is named: by its id or a part of it, or as one of the latest. */

/** `latest`, `latest:EVENT`, and `~N` for the Nth before that; null if it is none of these. */
export function readLatest(ref: string): { readonly event: string | null; readonly before: number } | null {
  const [, event = null, before = '0'] = /^latest(?::([^~]+))?(?:~(\d{1,9}))?$/.exec(ref) ?? [null]
  return ref === 'latest' || /^latest[:~]/.test(ref) ? { event, before: Number(before) } : null
}

/** Whether it may be part of an id: ids are UUIDs, and 8 characters of one tell it from the others. */
export function isShortId(ref: string): boolean {
  return /^[0-9a-f-]{8,36}$/i.test(ref)
}
