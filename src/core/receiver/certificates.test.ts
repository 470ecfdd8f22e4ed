import { spawnSync } from 'node:child_process'
import { randomBytes, X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import {
  CA_LIFE_MS,
  isLeafOf,
  makeAuthority,
  makeLeaf,
  renewalTime,
  type KeyPair,
} from './certificates.ts'

const DAY_MS = 86_400_000
const random = (count: number) => randomBytes(count)
const now = Date.now()

let folder: string
let authority: KeyPair
let leaf: KeyPair
beforeAll(async () => {
  folder = temporaryFolder()
  authority = await makeAuthority(now, random)
  leaf = await makeLeaf(authority, now, random)
  for (const [name, text] of Object.entries({
    'ca.pem': authority.cert,
    'ca.key': authority.key,
    'leaf.pem': leaf.cert,
  })) {
    writeFileSync(join(folder, name), text)
  }
})

function openssl(command: string): { ok: boolean; output: string } {
  const { status, stdout, stderr } = spawnSync('openssl', command.split(' '), {
    cwd: folder,
    encoding: 'utf8',
  })
  return { ok: status === 0, output: stdout + stderr }
}
const VERIFY = 'verify -purpose sslserver -CAfile ca.pem'

/** Has openssl sign leaves with the CA's key, as a thief of that key would, and judge them. */
function judgeForged(subjectAltNames: readonly string[]): string {
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout forged.key'
  openssl(`req -new ${key} -out forged.csr -subj /O=Forged`)
  for (const [index, name] of subjectAltNames.entries()) {
    const extensions = `subjectAltName=${name}\nextendedKeyUsage=serverAuth\n`
    writeFileSync(join(folder, 'forged.ext'), extensions)
    const files = `-CA ca.pem -CAkey ca.key -extfile forged.ext -out forged-${index}.pem`
    openssl(`x509 -req -days 30 -in forged.csr ${files}`)
  }
  const forged = subjectAltNames.map((_, index) => `forged-${index}.pem`)
  return openssl(`${VERIFY} ${forged.join(' ')}`).output
}

describe('the CA certificate', () => {
  const own = ['DNS:localhost', 'IP:127.0.0.1', 'IP:127.9.9.9', 'IP:::1']
  const others = [
    'DNS:evil.example',
    'DNS:localhost.evil.example',
    'DNS:evil-localhost',
    'IP:8.8.8.8',
    'IP:128.0.0.1',
    'IP:::2',
    'DNS:localhost,IP:8.8.8.8',
  ]

  test('can sign for this computer only: openssl refuses other names', () => {
    const output = judgeForged([...own, ...others])
    const accepted = [...output.matchAll(/^forged-(\d+)\.pem: OK$/gm)]
    const refused = output.matchAll(
      /permitted subtree violation\nerror forged-(\d+)\.pem: verification failed$/gm,
    )
    const numbersOf = (found: Iterable<RegExpMatchArray>) => [...found].map(([, n]) => Number(n))
    expect(numbersOf(accepted)).toEqual(own.map((_, index) => index))
    expect(numbersOf(refused)).toEqual(others.map((_, index) => own.length + index))
  })

  test('is a CA of path length 0 that may only sign certificates', () => {
    const { output } = openssl('x509 -in ca.pem -noout -text')
    expect(output).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:0/)
    expect(output).toMatch(/Name Constraints: critical/)
    expect(output).toMatch(/Key Usage: critical\s+Certificate Sign, CRL Sign/)
    expect(lifeOf(authority)).toBe(CA_LIFE_MS)
  })
})

function lifeOf({ cert }: KeyPair): number {
  const { validFrom, validTo } = new X509Certificate(cert)
  return Date.parse(validTo) - Date.parse(validFrom)
}

describe('the leaf', () => {
  test('is signed by the CA, for localhost names and addresses, for servers only', () => {
    expect(openssl(`${VERIFY} leaf.pem`)).toMatchObject({ ok: true })
    const certificate = new X509Certificate(leaf.cert)
    expect(certificate.ca).toBe(false)
    expect(certificate.subjectAltName).toBe(
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    )
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
    expect(certificate.checkHost('localhost')).toBe('localhost')
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(certificate.checkHost('localhost.evil.example')).toBe(undefined)
  })

  test('is valid for at most 90 days, including its backdating, and is renewed at two thirds', () => {
    expect(lifeOf(leaf)).toBeLessThanOrEqual(90 * DAY_MS)
    expect(Date.parse(new X509Certificate(leaf.cert).validFrom)).toBeLessThan(now)
    expect(renewalTime(leaf.cert)).toBeGreaterThan(now + 57 * DAY_MS)
    expect(renewalTime(leaf.cert)).toBeLessThan(now + 61 * DAY_MS)
  })

  test('never outlives its CA', async () => {
    const late = await makeLeaf(authority, now + CA_LIFE_MS - 10 * DAY_MS, random)
    expect(Date.parse(new X509Certificate(late.cert).validTo)).toBe(
      Date.parse(new X509Certificate(authority.cert).validTo),
    )
  })

  test('has a unique serial number and its own key', async () => {
    const other = await makeLeaf(authority, now, random)
    expect(new X509Certificate(other.cert).serialNumber).not.toBe(
      new X509Certificate(leaf.cert).serialNumber,
    )
    expect(other.key).not.toBe(leaf.key)
  })

  test("is distinguished from one of another CA, and from a file that isn't a certificate", async () => {
    const other = await makeAuthority(now, random)
    expect(await isLeafOf(leaf.cert, authority.cert)).toBe(true)
    expect(await isLeafOf(leaf.cert, other.cert)).toBe(false)
    for (const text of ['', 'nonsense', leaf.cert.slice(0, 200)])
      expect(await isLeafOf(text, authority.cert)).toBe(false)
  })
})
