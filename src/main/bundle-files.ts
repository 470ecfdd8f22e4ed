/**
 * The files the window may load: exactly those that the build lists. Requests are looked up, never joined to a folder, so no path
 * can escape the bundle.
 */
import { BUNDLE_MANIFEST, bundleManifestSchema } from '../shared/bundle-manifest.ts'

/** Plain file names and folders: no dot segments, backslashes, drives or encoding. */
const plainName = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$/

export interface BundleFile {
  /** Name relative to the bundle folder. */
  readonly name: string
  readonly mediaType: string
}

interface BundleFiles {
  readonly names: readonly string[]
  /** Finds the file for a URL of the app; null for any other URL, however similar. */
  find(url: string): BundleFile | null
}

/**
 * Reads the manifest of the build. `home` is the app's root URL, ending in a slash. Throws for an invalid list: the build is
 * broken.
 */
export function readBundleFiles(text: string, home: string): BundleFiles {
  const { files } = bundleManifestSchema.parse(JSON.parse(text))
  const byUrl = new Map<string, BundleFile>()
  for (const [name, mediaType] of Object.entries(files)) {
    if (!plainName.test(name))
      throw new Error(
        `${BUNDLE_MANIFEST} lists "${name}", which is not a plain file of the bundle.`,
      )
    byUrl.set(`${home}${name}`, { name, mediaType })
  }
  const index = byUrl.get(`${home}index.html`)
  if (index === undefined)
    throw new Error(`${BUNDLE_MANIFEST} has no index.html. Build the app first.`)
  byUrl.set(home, index)
  return {
    names: Object.keys(files),
    find(url) {
      // Query and fragment don't select a file; everything before must equal a listed URL.
      const end = url.search(/[?#]/)
      return byUrl.get(end === -1 ? url : url.slice(0, end)) ?? null
    },
  }
}
