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

/** Answers the window's requests from the bundle in `folder`: the files its manifest names, 404 for everything else. */
export async function setupAppProtocol(target: Protocol, folder: string): Promise<void> {
  const files = readBundleFiles(await readFile(join(folder, BUNDLE_MANIFEST), 'utf8'), APP_HOME)
  target.handle(SCHEME, async (request) => {
    const file = request.method === 'GET' ? files.find(request.url) : null
    if (file === null)
      return new Response('There is no such file in the app.', {
        status: 404,
        headers: { ...commonHeaders, 'Content-Type': 'text/plain; charset=utf-8' },
      })
    return new Response(await readFile(join(folder, file.name)), {
      status: 200,
      headers: { ...commonHeaders, 'Content-Type': file.mediaType },
    })
  })
}
