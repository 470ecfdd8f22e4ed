/**
 * Everything that this host answers, in one table. A route is never asked before the host and the session of its request
 * were found good, so that a new one cannot forget to.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readFile } from 'node:fs/promises'
import type { HostPolicy } from './host-policy.ts'
import { refuseRequest, SECURITY_HEADERS } from './refusals.ts'
import type { Sessions } from './sessions.ts'
import { BUNDLE_MANIFEST, bundleManifestSchema } from '../shared/bundle-manifest.ts'

/** A request whose host and session are good. */
interface AuthorizedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly session: string
}

export interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: string
  answer(admitted: AuthorizedRequest): void
}

/** Header that only script of the page itself can add without asking first. */
const OWN_HEADER = 'x-countersign'

/** Whether the browser says that another site's page, or another port's, asked for this. An old browser says nothing. */
function isForeignFetch(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin'
}

/** Whether the user goes there with the whole window: by a link, a bookmark or the address bar. Its page then sees nothing of ours. */
export function isTopLevelNavigation(request: IncomingMessage): boolean {
  return request.headers['sec-fetch-mode'] === 'navigate' && request.headers['sec-fetch-dest'] === 'document'
}

function fileRoute(path: string, file: BundleFile): Route {
  return {
    method: 'GET',
    path,
    answer({ request, response }) {
      if (isForeignFetch(request) && request.headers['sec-fetch-site'] !== 'none' && !isTopLevelNavigation(request)) {
        refuseRequest(response)
        return
      }
      response.writeHead(200, { ...SECURITY_HEADERS, 'Content-Type': file.type, 'Content-Length': file.bytes.byteLength })
      response.end(request.method === 'HEAD' ? undefined : file.bytes)
    },
  }
}

/** `POST /session`: a ticket for one WebSocket, for a page of this very host alone. The cookie is not enough. */
function sessionRoute(policy: HostPolicy, sessions: Sessions): Route {
  return {
    method: 'POST',
    path: '/session',
    answer({ request, response, session }) {
      const own = request.headers[OWN_HEADER] === '1' && policy.allowsOrigin(request) && !isForeignFetch(request)
      if (!own) {
        refuseRequest(response)
        return
      }
      const text = JSON.stringify({ ticket: sessions.issueTicket(session) })
      response.writeHead(200, {
        ...SECURITY_HEADERS,
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(text),
      })
      response.end(text)
      // The request says everything in its headers; should it have a body, it is not kept.
      request.resume()
    },
  }
}

export function createRoutes(bundle: Bundle, policy: HostPolicy, sessions: Sessions): readonly Route[] {
  return [...[...bundle].map(([path, file]) => fileRoute(path, file)), sessionRoute(policy, sessions)]
}

// The built user interface, read into memory at the start: a request is looked up by its exact path and never reaches the file
// system, and a new build cannot mix two versions in one window.

interface BundleFile {
  readonly type: string
  readonly bytes: Uint8Array
}

/** Files by their path on this host, `/` and `/index.html` both being the page. */
export type Bundle = ReadonlyMap<string, BundleFile>

/** Loads what the manifest of the build in `folder` (ending in a slash) lists. Rejects where a file of it is missing: the build is broken. */
export async function loadBundle(folder: URL): Promise<Bundle> {
  const text = await readFile(new URL(BUNDLE_MANIFEST, folder), 'utf8')
  const { files } = bundleManifestSchema.parse(JSON.parse(text))
  const entries = await Promise.all(
    Object.entries(files).map(
      async ([name, type]) => [`/${name}`, { type, bytes: await readFile(new URL(name, folder)) }] as const,
    ),
  )
  const bundle = new Map<string, BundleFile>(entries)
  const page = bundle.get('/index.html')
  if (page === undefined) throw new Error(`${BUNDLE_MANIFEST} has no index.html. Build the app first.`)
  return bundle.set('/', page)
}
