/**
 * The built user interface, read whole into memory at the start: a request is looked up by its exact path and never reaches
 * the file system, and a build made meanwhile cannot mix two versions in one window.
 */
import { readFile } from 'node:fs/promises'
import { BUNDLE_MANIFEST, bundleManifestSchema } from '../shared/bundle-manifest.ts'

export interface BundleFile {
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
  if (page === undefined) throw new Error(`${BUNDLE_MANIFEST} lists no index.html: the app was not built.`)
  return bundle.set('/', page)
}
