/**
 * `out/renderer/manifest.json`: every file of the built user interface by its exact name, with the content type it is served
 * as. Both hosts serve what stands here and nothing else, so that no path of a request ever reaches the file system.
 */
import { z } from 'zod'

export const BUNDLE_MANIFEST = 'manifest.json'

/** File names relative to `out/renderer`, with `/` on every platform: `{ "index.html": "text/html; charset=utf-8", … }`. */
export const bundleManifestSchema = z.object({ files: z.record(z.string(), z.string()) })
