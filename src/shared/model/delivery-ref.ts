/** References to a delivery: all or part of its id, its place among the latest, or a name. */

/** Parses `latest` and `latest:EVENT`, with `~N` for the Nth before it; null for other text. */
export function parseLatestRef(
  ref: string,
): { readonly event: string | null; readonly before: number } | null {
  const match = /^latest(?::([^~]+))?(?:~(\d{1,9}))?$/.exec(ref)
  return match && { event: match[1] ?? null, before: Number(match[2] ?? '0') }
}

/** Parses `name:NAME`, a composed request; null for other text, such as a pattern. */
export function parseNameRef(ref: string): string | null {
  return /^name:([\p{L}\p{N}_][\p{L}\p{N}_.-]*)$/iu.exec(ref)?.[1] ?? null
}

/** Whether a text may be part of a UUID; 8 characters tell ids apart. */
export function isShortId(ref: string): boolean {
  return /^[0-9a-f-]{8,36}$/i.test(ref)
}

/** Shortens an id to its end: ids begin with the time, which neighbors share. */
export function shortIdOf(id: string): string {
  return id.length <= 10 ? id : id.slice(-8)
}
