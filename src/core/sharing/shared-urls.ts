/** URLs of a shareable capture, all at `hooks.example`: same scheme, port and structure. */
import { replaceBetween, replaceInUrl } from './spelled-text.ts'
import type { Placeholders } from './placeholders.ts'

const DOMAIN = 'hooks.example'
const URL_PARTS = /^([a-z][a-z\d+.-]*:\/\/)([^/?#]*)(.*)$/is
const LABEL_LENGTH = 7

/** Returns a host and port, so that different hosts stay different. */
export function sharedHost(host: string, placeholders: Placeholders): string {
  const [port = ''] = /:\d{0,5}$/.exec(host) ?? []
  const name = host.slice(0, host.length - port.length)
  if (name === '') return host
  const label = `h${placeholders.hex(`host ${name.toLowerCase()}`, LABEL_LENGTH)}`
  const shown = /[A-Z]/.test(name) ? label.toUpperCase() : label
  // Mistakes with names in Unicode, in its ASCII form, and with www need such a name.
  const like = /[^\0-\x7f]/.test(name) ? 'bücher.' : /xn--/i.test(name) ? 'xn--bcher-kva.' : ''
  return `${/^www\./i.test(name) ? 'www.' : ''}${like}${shown}.${DOMAIN}${port}`
}

/** Returns a path with its query, each part on its own. */
function sharedPath(path: string, placeholders: Placeholders): string {
  return replaceBetween(path, /([/?#&=;]+)/, (part) =>
    replaceInUrl(part, (text) => placeholders.text(text)),
  )
}

/** Returns a URL, or a request's target. */
export function sharedUrl(url: string, placeholders: Placeholders): string {
  const [, scheme = '', authority = '', rest = ''] = URL_PARTS.exec(url) ?? []
  if (scheme === '') return sharedPath(url, placeholders)
  const hostAt = authority.lastIndexOf('@') + 1
  return [
    scheme,
    placeholders.text(authority.slice(0, hostAt)),
    sharedHost(authority.slice(hostAt), placeholders),
    sharedPath(rest, placeholders),
  ].join('')
}
