/**
 * Which files the window may be given: those that the build wrote down, by their exact names, and nothing else. A request is
 * looked up, never joined to a folder, so that no spelling of a path can lead out of the bundle.
 */
import { BUNDLE_MANIFEST, bundleManifestSchema } from '../shared/bundle-manifest.ts'

/** Folders and a file of plain characters: no dot-segments, no backslash, no drive, nothing encoded. */
const plainName = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$/

export interface BundleFile {
  /** Name relative to the bundle's folder, as the build wrote it. */
  readonly name: string
  readonly mediaType: string
}

export interface BundleFiles {
  /** Every file of the bundle. */
  readonly names: readonly string[]
  /** The file that an address of the app names; null for every other address, however close. */
  find(url: string): BundleFile | null
}

/**
 * Reads the manifest of the build. `home` is the address of the app's root, ending in a slash. Throws where the list is not one:
 * the build is then broken, and there is nothing to show.
 */
export function readBundleFiles(text: string, home: string): BundleFiles {
  const { files } = bundleManifestSchema.parse(JSON.parse(text))
  const byUrl = new Map<string, BundleFile>()
  for (const [name, mediaType] of Object.entries(files)) {
    if (!plainName.test(name)) throw new Error(`${BUNDLE_MANIFEST} lists "${name}", which is not a plain file of the bundle.`)
    byUrl.set(`${home}${name}`, { name, mediaType })
  }
  const index = byUrl.get(`${home}index.html`)
  if (index === undefined) throw new Error(`${BUNDLE_MANIFEST} has no index.html. Build the app first.`)
  byUrl.set(home, index)
  return {
    names: Object.keys(files),
    find(url) {
      // A fragment or query does not choose the file; everything before it must be the exact text of a listed address.
      const end = url.search(/[?#]/)
      return byUrl.get(end === -1 ? url : url.slice(0, end)) ?? null
    },
  }
}
