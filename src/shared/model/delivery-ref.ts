/** Ways to refer to a delivery: by all or part of its id, or as one of the latest. */

/** `latest`, `latest:EVENT`, and `~N` for the Nth before it; null for anything else. */
export function readLatest(
  ref: string,
): { readonly event: string | null; readonly before: number } | null {
  const found = /^latest(?::([^~]+))?(?:~(\d{1,9}))?$/.exec(ref)
  return found && { event: found[1] ?? null, before: Number(found[2] ?? '0') }
}

/** Whether the text may be part of an id. Ids are UUIDs, and 8 of their characters are enough to tell them apart. */
export function isShortId(ref: string): boolean {
  return /^[0-9a-f-]{8,36}$/i.test(ref)
}

/** The short form of an id, as it is shown: its end, because ids begin with the time, which deliveries of one minute share. */
export function shortIdOf(id: string): string {
  return id.length <= 10 ? id : id.slice(-8)
}
