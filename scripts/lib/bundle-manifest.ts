/**
 * Leaves `manifest.json` beside the renderer's files: each file's exact name with its media type. Both hosts serve what this
 * list names and nothing else, so they need no folder to join paths to and no table of types of their own.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import type { Plugin } from 'vite'
import { BUNDLE_MANIFEST, type BundleManifest } from '../../src/shared/bundle-manifest.ts'

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
}

/** A plugin for the renderer's build. A file of a type that it does not know fails the build: it would be served wrongly. */
export function bundleManifest(): Plugin {
  return {
    name: 'bundle-manifest',
    apply: 'build',
    writeBundle: {
      order: 'post',
      sequential: true,
      handler(options) {
        const folder = options.dir
        if (folder === undefined) throw new Error('bundle-manifest needs an output folder.')
        const files: Record<string, string> = {}
        for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
          if (!entry.isFile() || entry.name === BUNDLE_MANIFEST) continue
          const name = join(entry.parentPath, entry.name)
            .slice(folder.length + 1)
            .replaceAll(sep, '/')
          const mediaType = mediaTypes[extname(name)]
          if (mediaType === undefined) throw new Error(`bundle-manifest knows no media type for ${name}; add one.`)
          files[name] = mediaType
        }
        writeFileSync(join(folder, BUNDLE_MANIFEST), `${JSON.stringify({ files } satisfies BundleManifest, null, 2)}\n`)
      },
    },
  }
}
