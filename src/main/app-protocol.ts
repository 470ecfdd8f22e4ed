/**
 * Serves the renderer's bundle to the window under `app://countersign/`: an origin of its own with a strict policy as a header,
 * in place of `file://` and its powers.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Protocol, protocol } from 'electron'
import { BUNDLE_MANIFEST } from '../shared/bundle-manifest.ts'
import { CONTENT_SECURITY_POLICY } from '../shared/content-policy.ts'
import { readBundleFiles } from './bundle-files.ts'

const SCHEME = 'app'

/** Address of the app's root. Everything that asks "is this ours?" compares against this text. */
export const APP_HOME = `${SCHEME}://countersign/`

const commonHeaders = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

/** Gives the scheme the rights of a web origin. Electron takes this only before the app is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
}

/**
 * Answers the window's requests with the files that the manifest in `folder` names, and 404 for everything else. They are read
 * whole beforehand, so that an update or a build made meanwhile cannot mix two versions in one window.
 */
export async function setupAppProtocol(target: Protocol, folder: string): Promise<void> {
  const files = readBundleFiles(await readFile(join(folder, BUNDLE_MANIFEST), 'utf8'), APP_HOME)
  const contents = new Map<string, Buffer<ArrayBuffer>>()
  for (const name of files.names) contents.set(name, await readFile(join(folder, name)))
  target.handle(SCHEME, (request) => {
    const file = request.method === 'GET' ? files.find(request.url) : null
    const content = file === null ? undefined : contents.get(file.name)
    if (file === null || content === undefined)
      return new Response('File not found.', {
        status: 404,
        headers: { ...commonHeaders, 'Content-Type': 'text/plain; charset=utf-8' },
      })
    return new Response(content, { status: 200, headers: { ...commonHeaders, 'Content-Type': file.mediaType } })
  })
}
