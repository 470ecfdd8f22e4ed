/**
 * The TLS identity of this data folder: `tls/ca.pem` and `tls/leaf.pem`, with their keys in mode 0600 from the start. Created on
 * first start; the leaf is renewed at two thirds of its validity, while the servers run.
 */
import { constants } from 'node:fs'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { caFileOf, makeFolder } from '../base/data-folder.ts'
import type { Clock, Log } from '../base/deps.ts'
import {
  isLeafOf,
  isPair,
  makeAuthority,
  makeLeaf,
  renewalTime,
  type KeyPair,
} from './certificates.ts'

export type TlsIdentity = Awaited<ReturnType<typeof openIdentity>>

export interface IdentityDeps {
  readonly dataFolder: string
  readonly clock: Clock
  readonly log: Log
  randomBytes(count: number): Uint8Array
}

const CHECK_EVERY_MS = 3_600_000

async function readPair(folder: string, name: string): Promise<KeyPair | null> {
  try {
    const [cert, key] = await Promise.all([
      readFile(join(folder, `${name}.pem`), 'utf8'),
      readFile(join(folder, `${name}.key`), 'utf8'),
    ])
    return { cert, key }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Replaces a file in one step; a private one is created with mode 0600, not changed to it later. */
async function writeWhole(file: string, text: string, mode: number, suffix: string): Promise<void> {
  const temporary = `${file}.${suffix}`
  const handle = await open(
    temporary,
    constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY,
    mode,
  )
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, file)
}

async function writePair(
  folder: string,
  name: string,
  pair: KeyPair,
  suffix: string,
): Promise<void> {
  await writeWhole(join(folder, `${name}.key`), pair.key, 0o600, suffix)
  await writeWhole(join(folder, `${name}.pem`), pair.cert, 0o644, suffix)
}

/**
 * When the certificate of a data folder must be renewed, in milliseconds since the epoch; null if it is missing or unreadable: the
 * next start creates another. Creates nothing and opens no key.
 */
export async function storedRenewalTime(dataFolder: string): Promise<number | null> {
  try {
    return renewalTime(await readFile(join(dataFolder, 'tls', 'leaf.pem'), 'utf8'))
  } catch {
    return null
  }
}

/** Opens the identity of a data folder, creating missing, unreadable or expiring parts. */
export async function openIdentity(deps: IdentityDeps) {
  const { clock, log, randomBytes } = deps
  const folder = join(deps.dataFolder, 'tls')
  makeFolder(folder)
  const suffix = () => Buffer.from(randomBytes(6)).toString('hex')

  let authority = await readPair(folder, 'ca')
  if (authority === null || !isPair(authority) || renewalTime(authority.cert) <= clock.now()) {
    if (authority !== null)
      log.warn(
        'The local CA certificate is due or damaged and is being replaced. Clients that trusted the old one must trust the new one.',
      )
    authority = await makeAuthority(clock.now(), randomBytes)
    await writePair(folder, 'ca', authority, suffix())
  }
  const ca = authority

  const isGood = async (pair: KeyPair | null): Promise<boolean> =>
    pair !== null &&
    isPair(pair) &&
    (await isLeafOf(pair.cert, ca.cert)) &&
    renewalTime(pair.cert) > clock.now()

  const renew = async (): Promise<KeyPair> => {
    const made = await makeLeaf(ca, clock.now(), randomBytes)
    await writePair(folder, 'leaf', made, suffix())
    return made
  }

  const stored = await readPair(folder, 'leaf')
  let leaf = stored !== null && (await isGood(stored)) ? stored : await renew()

  const listeners = new Set<(certificate: KeyPair) => void>()
  const stop = new AbortController()
  const watch = async () => {
    for (;;) {
      await clock.sleep(CHECK_EVERY_MS, stop.signal)
      if (stop.signal.aborted) return
      if (await isGood(leaf)) continue
      leaf = await renew()
      log.info("The receiver's certificate was renewed.")
      for (const listener of listeners) listener(leaf)
    }
  }
  void watch().catch((error: unknown) => log.bug(error, 'certificate renewal'))

  return {
    caFile: caFileOf(deps.dataFolder),
    caPem: ca.cert,
    /** The servers' current certificate, with its key. */
    certificate: (): KeyPair => leaf,
    /** Receives new certificates; returns the function that stops it. */
    onRenewed(listener: (certificate: KeyPair) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => stop.abort(),
  }
}
