/**
 * Responds to rejected requests with a sentence that tells nothing about ports, data or tokens, and
 * closes the connection, so that no body is read.
 */
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { digestOf } from '../core/base/proof.ts'
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

/** Style of the app's own pages; without a session, its style sheet isn't served. */
const STYLE = `:root{color-scheme:light dark}
body{margin:0;padding:18vh 24px;background:light-dark(#f9fafb,#0f1115);color:light-dark(#171a20,#e7e9ed);font:450 13px/20px system-ui,sans-serif}
main{max-width:460px;margin:auto}
h1{margin:0;font-size:20px;font-weight:550}
p{margin:4px 0 0;color:light-dark(#48505e,#a6adb9)}
code{padding:2px 6px;border:1px solid light-dark(#dfe2e8,#262b34);border-radius:6px;font:12px ui-monospace,monospace}`

/** Script that opens the app, with the key that the link may have. */
const OPEN_SCRIPT = "location.replace('/index.html'+location.hash)"

const sourceOf = (text: string) => `'sha256-${digestOf(text).toString('base64')}'`

/** Content policy that allows only this style and this script. */
const PAGE_POLICY = CONTENT_SECURITY_POLICY.replace(
  "style-src 'self'",
  `style-src ${sourceOf(STYLE)}`,
).replace("script-src 'self'", `script-src ${sourceOf(OPEN_SCRIPT)}`)

/** Returns a page with an empty icon, so that the browser doesn't request `/favicon.ico`. */
function page(head: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,">${head}<title>Countersign</title><style>${STYLE}</style></head><body><main>${body}</main></body></html>\n`
}

const NO_SESSION = page(
  '',
  '<h1>Not signed in</h1><p>This link was already used or has expired. For a new one, run <code>countersign open</code>.</p>',
)

/**
 * Page that opens the app again: browsers omit strict cookies on navigation from elsewhere, but
 * send them from this page's own origin.
 */
const ASK_AGAIN = page(`<script>${OPEN_SCRIPT}</script>`, '<p>Opening…</p>')

function refuse(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    ...(type === 'text/html' ? { 'Content-Security-Policy': PAGE_POLICY } : {}),
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

export function sendReopenPage(response: ServerResponse): void {
  refuse(response, 403, 'text/html', ASK_AGAIN)
}

/** Rejects a request with a session from outside the app, most likely from another page. */
export function refuseRequest(response: ServerResponse): void {
  refuse(response, 403, 'text/plain', 'Only the app itself can make this request.')
}

export function refuseUnknown(response: ServerResponse, status: 404 | 405): void {
  refuse(response, status, 'text/plain', status === 404 ? 'File not found.' : 'Method not allowed.')
}

/** Rejects an upgrade with one response for all reasons, which tells attackers nothing. */
export function refuseUpgrade(socket: Duplex): void {
  const headers = { ...SECURITY_HEADERS, 'Content-Length': '0', Connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(['HTTP/1.1 403 Forbidden', ...lines, '', ''].join('\r\n'), () => socket.destroy())
}
