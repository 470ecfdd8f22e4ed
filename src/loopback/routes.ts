/**
 * Lists all routes of this host. A route runs only after host and session were checked, so that a
 * new route can't forget to.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HostPolicy } from './host-policy.ts'
import { refuseRequest, SECURITY_HEADERS } from './refusals.ts'
import type { BrowserSession, Sessions } from './sessions.ts'
import type { Bundle, LoadedFile } from './bundle.ts'

interface AuthorizedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly session: BrowserSession
}

export interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: string
  answer(admitted: AuthorizedRequest): void
}

/** Header with the page's nonce, which other origins can't add without a preflight request. */
const OWN_HEADER = 'x-countersign'

/** Whether the browser says that a page of another site or port made the request. */
function isForeignFetch(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin'
}

/** Whether this is a navigation of the whole window, whose response the linking page can't read. */
export function isTopLevelNavigation(request: IncomingMessage): boolean {
  return (
    request.headers['sec-fetch-mode'] === 'navigate' &&
    request.headers['sec-fetch-dest'] === 'document'
  )
}

function fileRoute(path: string, file: LoadedFile): Route {
  return {
    method: 'GET',
    path,
    answer({ request, response }) {
      if (
        isForeignFetch(request) &&
        request.headers['sec-fetch-site'] !== 'none' &&
        !isTopLevelNavigation(request)
      ) {
        refuseRequest(response)
        return
      }
      response.writeHead(200, {
        ...SECURITY_HEADERS,
        'Content-Type': file.type,
        'Content-Length': file.bytes.byteLength,
      })
      response.end(request.method === 'HEAD' ? undefined : file.bytes)
    },
  }
}

/** Creates a ticket for one WebSocket, and sends what a page needs to compute it with its key. */
function sessionRoute(policy: HostPolicy, sessions: Sessions): Route {
  return {
    method: 'POST',
    path: '/session',
    answer({ request, response, session }) {
      const nonce = String(request.headers[OWN_HEADER])
      const origin = isForeignFetch(request) ? null : policy.originOf(request)
      if (origin === null || !/^[\w-]{43}$/.test(nonce)) {
        refuseRequest(response)
        return
      }
      const text = JSON.stringify(sessions.challenge(session, origin, nonce))
      response.writeHead(200, {
        ...SECURITY_HEADERS,
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(text),
      })
      response.end(text)
      request.resume()
    },
  }
}

export function createRoutes(
  bundle: Bundle,
  policy: HostPolicy,
  sessions: Sessions,
): readonly Route[] {
  return [
    ...[...bundle].map(([path, file]) => fileRoute(path, file)),
    sessionRoute(policy, sessions),
  ]
}
