/**
 * Finds, downloads and installs a new version with electron-updater. Its metadata isn't signed by itself, so each `latest*.yml` comes
 * with an Ed25519 signature, `latest*.yml.sig`, that is verified before anything is parsed or downloaded. Loaded with the first check.
 */
import { spawn } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { createReadStream, createWriteStream, readFileSync, renameSync, rmSync } from 'node:fs'
import { chmod, copyFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { App, AutoUpdater } from 'electron'
import { getAppCacheDir } from 'electron-updater/out/AppAdapter.js'
import { AppImageUpdater } from 'electron-updater/out/AppImageUpdater.js'
import { MacUpdater } from 'electron-updater/out/MacUpdater.js'
import { NsisUpdater } from 'electron-updater/out/NsisUpdater.js'
import type { ResolvedUpdateFileInfo, UpdateInfo } from 'electron-updater'
import {
  parseUpdateInfo,
  Provider,
  type ProviderRuntimeOptions,
} from 'electron-updater/out/providers/Provider.js'
import { z } from 'zod'
import { PRODUCT_NAME } from '../shared/product.ts'
import { UpdateError, type UpdateEngine, type UpdateMemory } from './updates.ts'

/** Maximum bytes of the metadata and of its signatures. */
const METADATA_LIMIT = 65_536
/** One line of a signature file: an Ed25519 signature in Base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/
/** Milliseconds without a byte before the server counts as hanging. */
const PATIENCE_MS = 30_000

/** The bytes that are signed: the file's name too, so that one platform's metadata can't replace another's. */
export function signedBytes(name: string, metadata: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`countersign-update ${name}\n`), metadata])
}

/** Whether one of the signatures is by one of the keys, which are Ed25519 public keys in Base64 (DER). */
function isSigned(
  name: string,
  metadata: Uint8Array,
  signatures: string,
  keys: readonly string[],
): boolean {
  const bytes = signedBytes(name, metadata)
  const publicKeys = keys.map((key) =>
    createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' }),
  )
  return signatures
    .split('\n')
    .filter((line) => SIGNATURE.test(line))
    .some((line) => publicKeys.some((key) => verify(null, bytes, key, Buffer.from(line, 'base64'))))
}

/** Whether signatures work in this process: a valid one passes, and a changed byte is noticed. Electron has another library for them than Node. */
export function verifiesSignatures(): boolean {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const keys = [publicKey.export({ format: 'der', type: 'spki' }).toString('base64')]
  const signature = sign(null, signedBytes('a', Buffer.from('b')), privateKey).toString('base64')
  return (
    isSigned('a', Buffer.from('b'), signature, keys) &&
    !isSigned('a', Buffer.from('c'), signature, keys)
  )
}

/** What the app uses of the metadata. A file is beside it: neither a path nor another server. */
const metadataSchema = z.object({
  version: z.string().regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/),
  releaseDate: z.iso.datetime(),
  stagingPercentage: z.number().min(0).max(100).optional(),
  files: z
    .array(
      z.object({
        url: z.string().regex(/^[\w.-]+$/),
        sha512: z.base64().length(88),
        size: z.number().int().positive(),
      }),
    )
    .min(1),
})
type Metadata = z.infer<typeof metadataSchema>

const configSchema = z.object({
  provider: z.literal('generic'),
  url: z.url({ protocol: /^https?$/ }),
})
const extensions = { darwin: '.zip', win32: '.exe', linux: '.AppImage' } as const

/** As electron-builder names it. */
function metadataName(platform: keyof typeof extensions): string {
  if (platform !== 'linux') return platform === 'darwin' ? 'latest-mac.yml' : 'latest.yml'
  return process.arch === 'x64' ? 'latest-linux.yml' : `latest-linux-${process.arch}.yml`
}

/** The file of this platform, the one for this processor if there are several. */
function fileFor({ files }: Metadata, platform: keyof typeof extensions) {
  const fitting = files.filter(({ url }) => url.endsWith(extensions[platform]))
  return fitting.find(({ url }) => url.includes(process.arch)) ?? fitting[0] ?? null
}

async function sha512Of(file: string): Promise<string> {
  const hash = createHash('sha512')
  await pipeline(createReadStream(file), hash)
  return hash.digest('base64')
}

interface UpdateEngineOptions {
  readonly app: Pick<
    App,
    'getVersion' | 'isPackaged' | 'quit' | 'relaunch' | 'releaseSingleInstanceLock'
  >
  readonly platform: NodeJS.Platform
  /** Path of the running AppImage; null on other platforms. */
  readonly appImage: string | null
  /** The arguments of this start, for the next one. */
  readonly words: readonly string[]
  /** `app-update.yml` of the installed app, with the URL of the feed. */
  readonly configFile: string
  /** Ed25519 public keys. Several, so that keys can change. */
  readonly keys: readonly string[]
  /** Folder for the downloaded installer; the system's if absent. */
  readonly cacheFolder?: string
  /** Folder of the random ID that decides this computer's place in a gradual release. The ID is never sent. */
  readonly stateFolder: string
  readonly memory: UpdateMemory
  fetch(url: string, init: RequestInit): Promise<Response>
  /** Electron's own updater, which replaces the app on a Mac. */
  squirrel(): Promise<Pick<AutoUpdater, 'once' | 'checkForUpdates'>>
  readonly patienceMs?: number
}

export function createUpdateEngine(options: UpdateEngineOptions): UpdateEngine {
  const {
    app,
    appImage,
    cacheFolder = getAppCacheDir(),
    configFile,
    keys,
    memory,
    stateFolder,
    patienceMs = PATIENCE_MS,
  } = options
  const platform =
    options.platform === 'darwin' || options.platform === 'win32' ? options.platform : 'linux'
  const config = configSchema.parse(
    parseUpdateInfo(readFileSync(configFile, 'utf8'), configFile, new URL('file:')),
  )
  const feed = new URL(config.url.replace(/\/?$/, '/'))
  if (feed.protocol !== 'https:' && !['127.0.0.1', '[::1]', 'localhost'].includes(feed.hostname))
    throw new UpdateError(`The update server ${feed.host} isn't secure (https). Nothing was sent.`)
  const unchanged = `${PRODUCT_NAME} ${app.getVersion()} is unchanged.`
  const refusal = (what: string) => new UpdateError(`${what} Nothing was downloaded.`)

  /** These belong to the check or download in progress. */
  let signal = new AbortController().signal
  let onReceived: (bytes: number) => void = () => undefined
  let latest: Metadata['files'][number] | null = null
  let downloaded: string | null = null

  /** The bytes of a file of the feed. Throws if the server hangs, breaks off, or sends more than `most` bytes. */
  async function* bytesOf(url: URL, most: number, missing: string): AsyncGenerator<Uint8Array> {
    const stop = new AbortController()
    const timer = setTimeout(() => {
      stop.abort()
    }, patienceMs)
    const isHanging = () => stop.signal.aborted
    try {
      const response = await options.fetch(url.href, {
        signal: AbortSignal.any([signal, stop.signal]),
        cache: 'no-store',
        credentials: 'omit',
      })
      if (response.status === 404) throw refusal(missing)
      if (!response.ok || response.body === null)
        throw new UpdateError(`The update server returned ${response.status}. Try again later.`)
      let received = 0
      for await (const piece of response.body) {
        timer.refresh()
        received += piece.length
        if (received > most)
          throw refusal(`${basename(url.pathname)} is longer than the ${most} bytes it may have.`)
        yield piece
      }
    } catch (error) {
      if (signal.aborted || error instanceof UpdateError) throw error
      if (isHanging())
        throw new UpdateError(`${feed.host} stopped responding. Try again later.`, { cause: error })
      throw new UpdateError(`Couldn't reach ${feed.host}. Check your connection, then try again.`, {
        cause: error,
      })
    } finally {
      clearTimeout(timer)
      // Ends a response that isn't read to its end.
      stop.abort()
    }
  }

  async function smallFile(name: string, missing: string): Promise<Buffer> {
    const pieces: Uint8Array[] = []
    for await (const piece of bytesOf(new URL(name, feed), METADATA_LIMIT, missing))
      pieces.push(piece)
    return Buffer.concat(pieces)
  }

  /** The metadata that the server has now. The bytes that are parsed are the bytes that were verified. */
  async function readMetadata(name: string): Promise<Metadata> {
    const [bytes, signatures] = await Promise.all([
      smallFile(name, `${feed.host} has no ${name}.`),
      smallFile(`${name}.sig`, "The update isn't signed."),
    ])
    if (!isSigned(name, bytes, signatures.toString('latin1'), keys))
      throw refusal(`The update's signature doesn't match ${PRODUCT_NAME}'s keys.`)
    const parsed = metadataSchema.safeParse(parseUpdateInfo(bytes.toString(), name, feed))
    if (!parsed.success) throw refusal(`The update information in ${name} is incomplete.`)
    const { releaseDate } = parsed.data
    // An old file keeps its valid signature, and must not hide a newer version.
    const date = Date.parse(releaseDate)
    const { newest } = memory.get()
    if (newest !== null && date < newest)
      throw refusal('The update server sent older information than before.')
    memory.set({ newest: date })
    return parsed.data
  }

  /** What electron-updater asks for metadata. Unlike its own, it sends no ID of this computer. */
  class SignedFeed extends Provider<UpdateInfo> {
    constructor(_options: unknown, _updater: unknown, runtimeOptions: ProviderRuntimeOptions) {
      super(runtimeOptions)
    }
    async getLatestVersion(): Promise<UpdateInfo> {
      const metadata = await readMetadata(metadataName(platform))
      const file = fileFor(metadata, platform)
      if (file === null)
        throw refusal(`${PRODUCT_NAME} ${metadata.version} has no ${extensions[platform]} file.`)
      latest = file
      return { ...metadata, path: file.url, sha512: file.sha512 }
    }
    resolveFiles(): ResolvedUpdateFileInfo[] {
      return latest === null ? [] : [{ url: new URL(latest.url, feed), info: latest }]
    }
  }

  /** In place of electron-updater's own download, which has no limits of size or time. */
  async function download(url: URL, destination: string): Promise<string> {
    if (latest === null) throw new Error('Nothing was found yet.')
    const { size, sha512 } = latest
    const hash = createHash('sha512')
    let received = 0
    async function* counted() {
      for await (const piece of bytesOf(
        url,
        size,
        `${feed.host} has no ${basename(url.pathname)}.`,
      )) {
        hash.update(piece)
        received += piece.length
        onReceived(received)
        yield piece
      }
    }
    await saving(dirname(destination), () => pipeline(counted, createWriteStream(destination)))
    if (hash.digest('base64') !== sha512)
      throw new UpdateError(
        `The downloaded file doesn't match its signed checksum and was deleted. ${unchanged}`,
      )
    return destination
  }

  /** Explains why a file couldn't be written. */
  async function saving(folder: string, save: () => Promise<unknown>): Promise<void> {
    try {
      await save()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (error instanceof UpdateError || signal.aborted || code === undefined) throw error
      const what =
        code === 'ENOSPC'
          ? `The disk of ${folder} is full.`
          : `Couldn't write to ${folder} (${code}).`
      throw new UpdateError(`${what} ${unchanged}`, { cause: error })
    }
  }

  function createUpdater() {
    const adapter = {
      version: app.getVersion(),
      name: PRODUCT_NAME,
      isPackaged: app.isPackaged,
      appUpdateConfigPath: configFile,
      userDataPath: stateFolder,
      baseCachePath: cacheFolder,
      whenReady: () => Promise.resolve(),
      relaunch: () => {
        app.relaunch()
      },
      quit: () => {
        app.quit()
      },
      onQuit: () => undefined,
    }
    const created =
      platform === 'darwin'
        ? new MacUpdater(undefined, adapter)
        : platform === 'win32'
          ? new NsisUpdater(null, adapter)
          : new AppImageUpdater(null, adapter)
    // Failures reach the caller, who logs them.
    created.logger = null
    created.autoDownload = false
    created.autoInstallOnAppQuit = false
    created.allowDowngrade = false
    created.disableWebInstaller = true
    // Its block maps aren't signed.
    created.disableDifferentialDownload = true
    Object.assign(created, { httpExecutor: { download } })
    created.setFeedURL({ provider: 'custom', updateProvider: SignedFeed })
    created.on('update-downloaded', ({ downloadedFile }) => {
      downloaded = downloadedFile
    })
    return created
  }
  const updater = createUpdater()

  /** The new AppImage, complete and verified, beside the running one: electron-updater deletes the old one before it has the new. */
  const stagedFile = () => join(dirname(appImage ?? ''), `.${basename(appImage ?? '')}.new`)

  /** Replaces the AppImage in one step. A name with a version follows the version. */
  function replaceAppImage(old: string, name: string): string {
    const target = /\d+\.\d+\.\d+/.test(basename(old)) ? join(dirname(old), name) : old
    renameSync(stagedFile(), target)
    if (target !== old) rmSync(old)
    return target
  }

  function startAppImage(program: string): void {
    // Otherwise the new process would show this one's window and exit.
    app.releaseSingleInstanceLock()
    spawn(program, [...options.words], { detached: true, stdio: 'ignore' }).unref()
  }

  return {
    async check(stop) {
      signal = stop
      const result = await updater.checkForUpdates()
      if (result === null || latest === null)
        throw new Error('electron-updater is off for this install.')
      const { version } = result.updateInfo
      if (result.isUpdateAvailable) return { found: { version, size: latest.size }, later: null }
      return { found: null, later: updater.currentVersion.compare(version) < 0 ? version : null }
    },
    async download(stop, onBytes) {
      signal = stop
      onReceived = onBytes
      await updater.downloadUpdate()
      stop.throwIfAborted()
    },
    async prepare() {
      if (latest === null || downloaded === null) throw new Error('Nothing was downloaded yet.')
      const file = downloaded
      const verified = async (path: string) => {
        if ((await sha512Of(path)) === latest?.sha512) return
        await rm(path, { force: true })
        throw new UpdateError(`The downloaded file was changed and was deleted. ${unchanged}`)
      }
      if (platform === 'linux') {
        const staged = stagedFile()
        try {
          await saving(dirname(staged), async () => {
            await copyFile(file, staged)
            await chmod(staged, 0o755)
          })
          await verified(staged)
        } catch (error) {
          await rm(staged, { force: true })
          throw error
        }
        return
      }
      await verified(file)
      if (platform === 'win32') return
      // Squirrel takes the file from electron-updater and verifies its signature. It installs after this process has ended.
      const squirrel = await options.squirrel()
      await new Promise<void>((resolve, reject) => {
        squirrel.once('update-downloaded', () => {
          resolve()
        })
        squirrel.once('error', (cause) => {
          reject(new UpdateError(`macOS refused the update. ${unchanged}`, { cause }))
        })
        squirrel.checkForUpdates()
      })
    },
    install() {
      if (platform === 'darwin') (updater as MacUpdater).quitAndInstall()
      else if (platform === 'win32') (updater as NsisUpdater).quitAndInstall(true, true)
      else if (appImage !== null && latest !== null) {
        let program = appImage
        try {
          program = replaceAppImage(appImage, latest.url)
          if (downloaded !== null) rmSync(downloaded, { force: true })
        } catch (error) {
          rmSync(stagedFile(), { force: true })
          throw new UpdateError(
            `Couldn't replace ${appImage} (${(error as NodeJS.ErrnoException).code ?? 'unknown'}). ${unchanged}`,
            {
              cause: error,
            },
          )
        } finally {
          startAppImage(program)
        }
      }
    },
  }
}
