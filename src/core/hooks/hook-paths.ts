/** Paths of hooks' URLs and of request targets, in one spelling. */

/** Returns path and query of a URL, verbatim; `/` if empty. */
export function pathOfUrl(url: string): string {
  const path = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1] ?? ''
  return path.startsWith('/') ? path : `/${path}`
}

/** Escapes a path as clients do, so that `/h/café` and `/h/caf%c3%a9` are one path. */
export function escapedPath(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(/[^\x21-\x7e]|%[\da-f]{2}/gi, (one) =>
      one.length === 1
        ? `%${one.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`
        : one.toUpperCase(),
    )
}

/** Returns the paths of a request target: as sent, then without its query. */
export function pathsOfTarget(target: string): readonly string[] {
  const path = target.startsWith('/') ? target : pathOfUrl(target)
  const query = path.indexOf('?')
  return query === -1 ? [path] : [path, path.slice(0, query)]
}
