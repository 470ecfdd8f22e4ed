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

/** Folder, or file with its offset behind the header. */
interface Entry {
  readonly files?: Readonly<Record<string, Entry>>
  readonly size?: number
  readonly offset?: string
}

/** Layout of the archive: four numbers of 4 bytes, the header in JSON, then the files. */
const layout = { numbersSize: 16, headerEndAt: 4, jsonLengthAt: 12, beforeHeaderEnd: 8 } as const

const u32At = (bytes: Uint8Array, offset: number) =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true)

/** Reads `out/renderer` from the installed app's archive, because plain Node can't. */
function readFromArchive(archive: URL): ReadFile {
  const readPiece = async (file: FileHandle, length: number, position: number) => {
    const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, position)
    if (bytesRead < length) throw new Error('app.asar is incomplete. Install Countersign again.')
    return buffer
  }
  return async (name) => {
    await using file = await open(archive)
    const numbers = await readPiece(file, layout.numbersSize, 0)
    const json = await readPiece(file, u32At(numbers, layout.jsonLengthAt), layout.numbersSize)
    const header = JSON.parse(new TextDecoder().decode(json)) as Entry
    const path = ['out', 'renderer', ...name.split('/')]
    const entry = path.reduce<Entry | undefined>((folder, part) => folder?.files?.[part], header)
    if (entry?.size === undefined || entry.offset === undefined)
      throw new Error(`app.asar has no ${path.join('/')}.`)
    const filesStart = layout.beforeHeaderEnd + u32At(numbers, layout.headerEndAt)
    return readPiece(file, entry.size, filesStart + Number(entry.offset))
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
