/** Files that the page may load: only those in the build's list. */
import { BUNDLE_MANIFEST, bundleManifestSchema } from '../shared/bundle-manifest.ts'

/** `assets/index-4f2a.js`, without dot segments, backslashes, drives or encoding. */
const PLAIN_PATH = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$/

export interface BundleFile {
  readonly name: string
  readonly mediaType: string
}

interface BundleFiles {
  readonly names: readonly string[]
  find(url: string): BundleFile | null
}

/** Parses the build's list of files. Throws if it is invalid. */
export function readBundleFiles(text: string, pageUrl: string): BundleFiles {
  const { files } = bundleManifestSchema.parse(JSON.parse(text))
  const byUrl = new Map<string, BundleFile>()
  for (const [name, mediaType] of Object.entries(files)) {
    if (!PLAIN_PATH.test(name))
      throw new Error(
        `${BUNDLE_MANIFEST} lists "${name}", which is not a plain file of the bundle.`,
      )
    byUrl.set(`${pageUrl}${name}`, { name, mediaType })
  }
  const index = byUrl.get(`${pageUrl}index.html`)
  if (index === undefined)
    throw new Error(`${BUNDLE_MANIFEST} has no index.html. Build the app first.`)
  byUrl.set(pageUrl, index)
  return {
    names: Object.keys(files),
    find(url) {
      const end = url.search(/[?#]/)
      return byUrl.get(end === -1 ? url : url.slice(0, end)) ?? null
    },
  }
}
