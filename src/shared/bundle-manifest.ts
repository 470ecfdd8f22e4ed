/**
 * Manifest of the built user interface. Hosts serve only its files, so a request's path never
 * reaches the file system.
 */
import { z } from 'zod'

export const BUNDLE_MANIFEST = 'manifest.json'

/** File names in `out/renderer`: `{ "index.html": "text/html; charset=utf-8" }`. */
export const bundleManifestSchema = z.object({ files: z.record(z.string(), z.string()) })
