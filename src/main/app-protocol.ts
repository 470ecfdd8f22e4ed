/** Serves the renderer under its own origin, without the rights of `file://`. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Protocol, protocol } from 'electron'
import { BUNDLE_MANIFEST } from '../shared/bundle-manifest.ts'
import { CONTENT_SECURITY_POLICY } from '../shared/content-policy.ts'
import { readBundleFiles } from './bundle-files.ts'

const SCHEME = 'app'

export const APP_URL = `${SCHEME}://countersign/`

const commonHeaders = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

/** Registers the scheme. Call before the app is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ])
}

/** Reads all files at startup, so that an update can't mix two versions. */
export async function setupAppProtocol(target: Protocol, folder: string): Promise<void> {
  const files = readBundleFiles(await readFile(join(folder, BUNDLE_MANIFEST), 'utf8'), APP_URL)
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
    return new Response(content, {
      status: 200,
      headers: { ...commonHeaders, 'Content-Type': file.mediaType },
    })
  })
}
