/** The TLS identity of a data folder: `tls/ca.pem` and `tls/leaf.pem`, with keys in mode 0600. */
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { caFileOf, makeFolder } from '../base/data-folder.ts'
import type { Deps } from '../base/deps.ts'
import { replaceWholeFile } from '../base/whole-files.ts'
import {
  isLeafOf,
  isPair,
  makeAuthority,
  makeLeaf,
  renewalTime,
  type KeyPair,
} from './certificates.ts'

export type TlsIdentity = Awaited<ReturnType<typeof openIdentity>>

/** Milliseconds between checks whether the certificate is due. */
const CHECK_EVERY_MS = 3_600_000

/** Resolves with the renewal time of the stored certificate in milliseconds; null without one. */
export async function storedRenewalTime(dataFolder: string): Promise<number | null> {
  try {
    return renewalTime(await readFile(join(dataFolder, 'tls', 'leaf.pem'), 'utf8'))
  } catch {
    return null
  }
}

/** Reads or creates the certificates, and renews the leaf while it runs. */
export async function openIdentity(
  deps: Pick<Deps, 'dataFolder' | 'clock' | 'log' | 'randomBytes'>,
) {
  const { clock, log } = deps
  const randomBytes = (count: number) => deps.randomBytes(count)
  const folder = join(deps.dataFolder, 'tls')
  makeFolder(folder)

  /** Whether a pair is valid now; one made while the clock was ahead isn't valid yet. */
  const isUsable = (pair: KeyPair): boolean =>
    isPair(pair) &&
    Date.parse(new X509Certificate(pair.cert).validFrom) <= clock.now() &&
    renewalTime(pair.cert) > clock.now()

  let authority = await readPair(folder, 'ca')
  if (authority === null || !isUsable(authority)) {
    const former = await readPair(folder, 'former-ca')
    if (authority !== null) {
      log.warn(
        'The local CA certificate is due or damaged and is being replaced. Clients that trusted the old one must trust the new one.',
      )
      // The former CA is used again once it is valid, if only the clock was wrong.
      await writePair(folder, 'former-ca', authority)
    }
    authority =
      former !== null && isUsable(former) ? former : await makeAuthority(clock.now(), randomBytes)
    await writePair(folder, 'ca', authority)
  }
  const ca = authority

  const isUsableLeaf = async (pair: KeyPair): Promise<boolean> =>
    isUsable(pair) && (await isLeafOf(pair.cert, ca.cert))

  const renew = async (): Promise<KeyPair> => {
    const newLeaf = await makeLeaf(ca, clock.now(), randomBytes)
    await writePair(folder, 'leaf', newLeaf)
    return newLeaf
  }

  const stored = await readPair(folder, 'leaf')
  let leaf = stored !== null && (await isUsableLeaf(stored)) ? stored : await renew()

  const listeners = new Set<(certificate: KeyPair) => void>()
  const stop = new AbortController()
  const watch = async () => {
    for (;;) {
      await clock.sleep(CHECK_EVERY_MS, stop.signal)
      if (stop.signal.aborted) return
      if (await isUsableLeaf(leaf)) continue
      leaf = await renew()
      log.info("The receiver's certificate was renewed.")
      for (const listener of listeners) listener(leaf)
    }
  }
  void watch().catch((error: unknown) => log.bug(error, 'certificate renewal'))

  return {
    caFile: caFileOf(deps.dataFolder),
    caPem: ca.cert,
    certificate: (): KeyPair => leaf,
    onRenewed(listener: (certificate: KeyPair) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => stop.abort(),
  }
}

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

async function writePair(folder: string, name: string, pair: KeyPair): Promise<void> {
  await replaceWholeFile(join(folder, `${name}.key`), pair.key)
  await replaceWholeFile(join(folder, `${name}.pem`), pair.cert, 0o644)
}
