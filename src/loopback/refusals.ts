/**
 * Responses to rejected requests: one sentence, and nothing about ports, data or tokens. They close the connection, so that a
 * request body is never read.
 */
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { CONTENT_SECURITY_POLICY } from '../shared/content-policy.ts'

/** Headers of every response of this host. Never Access-Control headers. */
export const SECURITY_HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const

const WRONG_HOST =
  'Unknown host. To open the app under another host name, start Countersign with --allow-ui-host HOST:PORT.'

/** With an empty icon, so that the browser doesn't request `/favicon.ico` and log another error. */
function page(head: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,">${head}<title>Countersign</title></head><body>${body}</body></html>\n`
}

const NO_SESSION = page(
  '',
  '<h1>Not signed in</h1><p>This link was already used or has expired. Run <code>countersign open</code> for a new one.</p>',
)

/**
 * Browsers omit strict cookies on navigation from elsewhere, such as a link or the file that opens the app. This page has our own
 * origin, so reloading the same URL from here sends the cookie, if there is one.
 */
const ASK_AGAIN = page('<meta http-equiv="refresh" content="0;url=/">', '<p>Opening…</p>')

function refuse(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  })
  response.end(text)
}

export function refuseHost(response: ServerResponse): void {
  refuse(response, 403, 'text/plain', WRONG_HOST)
}

export function refuseSession(response: ServerResponse): void {
  refuse(response, 403, 'text/html', NO_SESSION)
}

export function askAgain(response: ServerResponse): void {
  refuse(response, 403, 'text/html', ASK_AGAIN)
}

/** A request with a session from outside the app, most likely from another page. */
export function refuseRequest(response: ServerResponse): void {
  refuse(response, 403, 'text/plain', 'Only the app itself can make this request.')
}

export function refuseUnknown(response: ServerResponse, status: 404 | 405): void {
  refuse(response, status, 'text/plain', status === 404 ? 'File not found.' : 'Method not allowed.')
}

/** Rejects an upgrade, with the same response for every reason: attackers learn nothing from it. */
export function refuseUpgrade(socket: Duplex): void {
  const headers = { ...SECURITY_HEADERS, 'Content-Length': '0', Connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(['HTTP/1.1 403 Forbidden', ...lines, '', ''].join('\r\n'), () => socket.destroy())
}
