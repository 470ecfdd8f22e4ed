/** A throw-away certificate authority and a leaf of it, for servers of tests on loopback. */
import { randomBytes } from 'node:crypto'
import { makeAuthority, makeLeaf, type KeyPair } from '../../src/core/receiver/certificates.ts'

export interface TestTls {
  readonly caPem: string
  readonly leaf: KeyPair
}

export async function makeTestTls(): Promise<TestTls> {
  const authority = await makeAuthority(Date.now(), randomBytes)
  return { caPem: authority.cert, leaf: await makeLeaf(authority, Date.now(), randomBytes) }
}
