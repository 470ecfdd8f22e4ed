/** What HTTP allows of a request's headers, and which of them are not of the request but of the connection that it goes over. */

/** What is of the one connection it came on (RFC 9110, section 7.6.1), and what the client makes itself. */
const ofConnection = new Set([
  'host',
  'connection',
  'proxy-connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'trailer',
  'upgrade',
  'expect',
])

export function isOfConnection(name: string): boolean {
  return ofConnection.has(name.toLowerCase())
}

/** Why a header cannot be sent, as a sentence; null where it can. */
export function headerProblem(name: string, value: string): string | null {
  if (name === '') return 'A header needs a name.'
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    return `"${name}" is no name of a header: it has characters that HTTP cannot carry.`
  if (isOfConnection(name)) return `${name} is made for the new connection: it cannot be set.`
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    return `The value of ${name} has characters that HTTP cannot carry (line breaks, control characters, or beyond Latin-1).`
  if (/^[ \t]|[ \t]$/.test(value)) return `The value of ${name} begins or ends with white space, which HTTP takes off.`
  return null
}
