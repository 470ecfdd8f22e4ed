/**
 * Certificates of the receiver: a CA that may sign for loopback only, by name constraints on DNS
 * names and addresses, and a leaf that it signs.
 */
import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto'
// x509 needs the metadata shim first.
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

x509.cryptoProvider.set(webcrypto)

const DAY_MS = 86_400_000
/** Time by which certificates are backdated, because clocks may be set back. */
const BACKDATE_MS = 2 * DAY_MS
const LEAF_LIFE_MS = 90 * DAY_MS
export const CA_LIFE_MS = 1_825 * DAY_MS

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const NAMES = ['localhost'] as const
const ADDRESSES = ['127.0.0.1', '::1'] as const

/** Certificate and private key, in PEM. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
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

/** Returns 16 random bytes in hexadecimal: positive, and without zeros in front (RFC 5280). */
function serialNumber(randomBytes: (count: number) => Uint8Array): string {
  const bytes = Buffer.from(randomBytes(16))
  bytes[0] = (bytes[0]! & 0x7f) | 0x40
  return bytes.toString('hex')
}
