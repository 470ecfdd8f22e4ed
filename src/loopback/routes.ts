/**
 * All routes of this host in one table. A route runs only after host and session were checked, so that a new route can't forget to.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { existsSync } from 'node:fs'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import type { HostPolicy } from './host-policy.ts'
import { refuseRequest, SECURITY_HEADERS } from './refusals.ts'
import type { BrowserSession, Sessions } from './sessions.ts'
import { BUNDLE_MANIFEST, bundleManifestSchema } from '../shared/bundle-manifest.ts'

/** A request with a valid host and session. */
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

/** Header that only the page's own script can add without a preflight request, with its nonce. */
const OWN_HEADER = 'x-countersign'

/** Whether the browser says that a page of another site or port made the request. Old browsers say nothing. */
function isForeignFetch(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin'
}

/**
 * Whether this is a navigation of the whole window: a link, a bookmark or the address bar. The linking page can't read our
 * response.
 */
export function isTopLevelNavigation(request: IncomingMessage): boolean {
  return (
    request.headers['sec-fetch-mode'] === 'navigate' &&
    request.headers['sec-fetch-dest'] === 'document'
  )
}

function fileRoute(path: string, file: BundleFile): Route {
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

/** `POST /session`: creates a ticket for one WebSocket, and sends what a page needs to compute it with its key. */
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
      // The request needs no body; one that is sent is ignored.
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

// The built app, loaded into memory at startup. Requests are looked up by exact path and never reach the file system, and a new
// build can't mix two versions in one window.

interface BundleFile {
  readonly type: string
  readonly bytes: Uint8Array
}

/** Files by path; `/` and `/index.html` are both the page. */
export type Bundle = ReadonlyMap<string, BundleFile>

type ReadFile = (name: string) => Promise<Uint8Array>

/** An entry of an archive's header: a folder, or a file with its place behind the header. */
interface Entry {
  readonly files?: Readonly<Record<string, Entry>>
  readonly size?: number
  readonly offset?: string
}

const u32At = (bytes: Uint8Array, offset: number) =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true)

/**
 * Reads `out/renderer` from the archive of the installed app, whose command line runs in Node, without Electron's view into
 * archives. The header is JSON with its length before it, and the files follow it.
 */
function readFromArchive(archive: URL): ReadFile {
  const piece = async (file: FileHandle, length: number, position: number) => {
    const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, position)
    if (bytesRead < length) throw new Error('app.asar is incomplete. Install Countersign again.')
    return buffer
  }
  return async (name) => {
    await using file = await open(archive)
    const sizes = await piece(file, 16, 0)
    const header = JSON.parse(
      new TextDecoder().decode(await piece(file, u32At(sizes, 12), 16)),
    ) as Entry
    const path = ['out', 'renderer', ...name.split('/')]
    const entry = path.reduce<Entry | undefined>((folder, part) => folder?.files?.[part], header)
    if (entry?.size === undefined || entry.offset === undefined)
      throw new Error(`app.asar has no ${path.join('/')}.`)
    return piece(file, entry.size, 8 + u32At(sizes, 4) + Number(entry.offset))
  }
}

/**
 * Loads the app that belongs to the command line in `build`, a folder ending in a slash: the files in the manifest of the build
 * beside it or, in the installed app, of its archive. Rejects if one is missing.
 */
export async function loadBundle(build: URL): Promise<Bundle> {
  const folder = new URL('../renderer/', build)
  const archive = new URL('../../../app.asar', build)
  const isInstalled = !existsSync(folder) && existsSync(archive)
  const read: ReadFile = isInstalled
    ? readFromArchive(archive)
    : (name) => readFile(new URL(name, folder))
  const text = new TextDecoder().decode(await read(BUNDLE_MANIFEST))
  const { files } = bundleManifestSchema.parse(JSON.parse(text))
  const entries = await Promise.all(
    Object.entries(files).map(
      async ([name, type]) => [`/${name}`, { type, bytes: await read(name) }] as const,
    ),
  )
  const bundle = new Map<string, BundleFile>(entries)
  const page = bundle.get('/index.html')
  if (page === undefined)
    throw new Error(`${BUNDLE_MANIFEST} has no index.html. Build the app first.`)
  return bundle.set('/', page)
}
