/** Files that the window may load: only those in the build's list. */
import { BUNDLE_MANIFEST, bundleManifestSchema } from '../shared/bundle-manifest.ts'

/** File name without dot segments, backslashes, drives or encoding. */
const plainName = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$/

export interface BundleFile {
  readonly name: string
  readonly mediaType: string
}

interface BundleFiles {
  readonly names: readonly string[]
  find(url: string): BundleFile | null
}

/** Parses the build's list of files. Throws if it is invalid; `home` ends in a slash. */
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
      const end = url.search(/[?#]/)
      return byUrl.get(end === -1 ? url : url.slice(0, end)) ?? null
    },
  }
}
