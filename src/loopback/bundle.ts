/**
 * Loads the built app into memory at startup, so that no request reaches the file system and a new
 * build can't mix two versions in one window.
 */
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { BUNDLE_MANIFEST, bundleManifestSchema } from '../shared/bundle-manifest.ts'

export interface LoadedFile {
  readonly type: string
  readonly bytes: Uint8Array
}

/** Files by path; `/` and `/index.html` are both the page. */
export type Bundle = ReadonlyMap<string, LoadedFile>
type ReadFile = (name: string) => Promise<Uint8Array>

/** Entry of an archive's header: a folder, or a file with its offset behind the header. */
interface Entry {
  readonly files?: Readonly<Record<string, Entry>>
  readonly size?: number
  readonly offset?: string
}

const u32At = (bytes: Uint8Array, offset: number) =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true)

/**
 * Reads `out/renderer` from the archive of the installed app, whose command line runs in plain
 * Node. The header is JSON after its length, followed by the files.
 */
function readFromArchive(archive: URL): ReadFile {
  const readPiece = async (file: FileHandle, length: number, position: number) => {
    const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, position)
    if (bytesRead < length) throw new Error('app.asar is incomplete. Install Countersign again.')
    return buffer
  }
  return async (name) => {
    await using file = await open(archive)
    const sizes = await readPiece(file, 16, 0)
    const header = JSON.parse(
      new TextDecoder().decode(await readPiece(file, u32At(sizes, 12), 16)),
    ) as Entry
    const path = ['out', 'renderer', ...name.split('/')]
    const entry = path.reduce<Entry | undefined>((folder, part) => folder?.files?.[part], header)
    if (entry?.size === undefined || entry.offset === undefined)
      throw new Error(`app.asar has no ${path.join('/')}.`)
    return readPiece(file, entry.size, 8 + u32At(sizes, 4) + Number(entry.offset))
  }
}

/**
 * Loads the files of the app's manifest, in the installed app from its archive. Rejects if one is
 * missing.
 * @param build Folder of the built command line, ending in a slash.
 */
export async function loadBundle(build: URL): Promise<Bundle> {
  const folder = new URL('../renderer/', build)
  const archive = new URL('../../../app.asar', build)
  const isInstalled = !existsSync(folder) && existsSync(archive)
  const read: ReadFile = isInstalled
    ? readFromArchive(archive)
    : (name) => readFile(new URL(name, folder))
  const text = new TextDecoder().decode(await read(BUNDLE_MANIFEST))
  const { files } = bundleManifestSchema.parse(JSON.parse(text))
  const entries = await Promise.all(
    Object.entries(files).map(
      async ([name, type]) => [`/${name}`, { type, bytes: await read(name) }] as const,
    ),
  )
  const bundle = new Map<string, LoadedFile>(entries)
  const page = bundle.get('/index.html')
  if (page === undefined)
    throw new Error(`${BUNDLE_MANIFEST} has no index.html. Build the app first.`)
  return bundle.set('/', page)
}
