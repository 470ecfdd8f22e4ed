/** Where the receiver expects a hook's deliveries, and which hooks a request's path belongs to. */

/** Path and query of a registered URL, verbatim: what a sender writes into its request line. `/` where there is none. */
export function pathOfUrl(url: string): string {
  const path = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1] ?? ''
  return path.startsWith('/') ? path : `/${path}`
}

/**
 * The paths under which a request's target may belong to a hook, most exact first: as it stands, without its query, and the
 * same of an absolute-form target.
 */
export function pathsOfTarget(target: string): readonly string[] {
  const path = target.startsWith('/') ? target : pathOfUrl(target)
  const query = path.indexOf('?')
  return query === -1 ? [path] : [path, path.slice(0, query)]
}
