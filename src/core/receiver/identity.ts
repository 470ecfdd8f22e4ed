/**
 * The TLS identity of a data folder: `tls/ca.pem` and `tls/leaf.pem`, with keys in mode 0600. The
 * CA may sign for loopback only, so its name constraints cover DNS names and addresses.
 */
// x509 needs the metadata shim first.
import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import 'reflect-metadata'
import { AsnConvert } from '@peculiar/asn1-schema'
import {
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  NameConstraints,
  id_ce_nameConstraints,
} from '@peculiar/asn1-x509'
import * as x509 from '@peculiar/x509'
import { caFileOf, makeFolder } from '../base/data-folder.ts'
import type { Deps } from '../base/deps.ts'
import { replaceWholeFile } from '../base/whole-files.ts'

x509.cryptoProvider.set(webcrypto)

const DAY_MS = 86_400_000
/** Time by which certificates are backdated, because clocks may be set back. */
const BACKDATE_MS = 2 * DAY_MS
export const LEAF_LIFE_MS = 90 * DAY_MS
export const CA_LIFE_MS = 1_825 * DAY_MS

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const NAMES = ['localhost'] as const
const ADDRESSES = ['127.0.0.1', '::1'] as const

export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/** Returns when to renew a certificate: at two thirds of its validity, in milliseconds. */
export function renewalTime(certPem: string): number {
  const certificate = new x509.X509Certificate(certPem)
  const from = certificate.notBefore.getTime()
  return from + ((certificate.notAfter.getTime() - from) * 2) / 3
}

/** Whether certificate and key match: a crash between writing them leaves a mismatched pair. */
export function isPair({ cert, key }: KeyPair): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

export async function isLeafOf(certPem: string, caPem: string): Promise<boolean> {
  try {
    const ca = new x509.X509Certificate(caPem)
    return await new x509.X509Certificate(certPem).verify({
      publicKey: ca.publicKey,
      signatureOnly: true,
    })
  } catch {
    return false
  }
}

function loopbackConstraints(): x509.Extension {
  const permit = (name: ConstructorParameters<typeof GeneralName>[0]) =>
    new GeneralSubtree({ base: new GeneralName(name) })
  const constraints = new NameConstraints({
    permittedSubtrees: new GeneralSubtrees([
      ...NAMES.map((name) => permit({ dNSName: name })),
      permit({ iPAddress: '127.0.0.0/8' }),
      permit({ iPAddress: '::1/128' }),
    ]),
  })
  return new x509.Extension(id_ce_nameConstraints, true, AsnConvert.serialize(constraints))
}

async function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(pem), ALGORITHM, true, [
    'sign',
  ])
}

function serialNumber(randomBytes: (count: number) => Uint8Array): string {
  const bytes = Buffer.from(randomBytes(16))
  bytes[0] = (bytes[0]! & 0x7f) | 0x40
  return bytes.toString('hex')
}

/**
 * Creates a CA for loopback names only.
 * @param now In milliseconds.
 */
export async function makeAuthority(
  now: number,
  randomBytes: (count: number) => Uint8Array,
): Promise<KeyPair> {
  const keys = await makeKeys()
  const serial = serialNumber(randomBytes)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial,
    name: `CN=Countersign local CA ${serial.slice(0, 8)}, O=Countersign`,
    notBefore: new Date(now - BACKDATE_MS),
    notAfter: new Date(now - BACKDATE_MS + CA_LIFE_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      loopbackConstraints(),
    ],
  })
  return { cert: certificate.toString('pem'), key: await exportKey(keys.privateKey) }
}

/**
 * Creates a leaf for localhost, signed by the CA.
 * @param now In milliseconds.
 */
export async function makeLeaf(
  authority: KeyPair,
  now: number,
  randomBytes: (count: number) => Uint8Array,
): Promise<KeyPair> {
  const ca = new x509.X509Certificate(authority.cert)
  const keys = await makeKeys()
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(randomBytes),
    subject: 'CN=localhost, O=Countersign',
    issuer: ca.subject,
    notBefore: new Date(now - BACKDATE_MS),
    notAfter: new Date(Math.min(now - BACKDATE_MS + LEAF_LIFE_MS, ca.notAfter.getTime())),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...NAMES.map((value) => ({ type: 'dns' as const, value })),
        ...ADDRESSES.map((value) => ({ type: 'ip' as const, value })),
      ]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(ca.publicKey),
    ],
  })
  return { cert: certificate.toString('pem'), key: await exportKey(keys.privateKey) }
}

export type TlsIdentity = Awaited<ReturnType<typeof openIdentity>>

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

async function writePair(folder: string, name: string, pair: KeyPair): Promise<void> {
  await replaceWholeFile(join(folder, `${name}.key`), pair.key)
  await replaceWholeFile(join(folder, `${name}.pem`), pair.cert, 0o644)
}

/** Resolves with the renewal time of the stored certificate in milliseconds; null without one. */
export async function storedRenewalTime(dataFolder: string): Promise<number | null> {
  try {
    return renewalTime(await readFile(join(dataFolder, 'tls', 'leaf.pem'), 'utf8'))
  } catch {
    return null
  }
}

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
