/**
 * `out/renderer/manifest.json`: the exact name and content type of every file of the built user interface. Both hosts serve only
 * these files, so a request's path never reaches the file system.
 */
import { z } from 'zod'

export const BUNDLE_MANIFEST = 'manifest.json'

/** File names relative to `out/renderer`, with `/` on every platform: `{ "index.html": "text/html; charset=utf-8", … }`. */
export const bundleManifestSchema = z.object({ files: z.record(z.string(), z.string()) })
