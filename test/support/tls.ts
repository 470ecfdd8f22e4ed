/** Creates a throwaway certificate authority and a certificate for loopback. */
import { randomBytes } from 'node:crypto'
import { makeAuthority, makeLeaf } from '../../src/core/receiver/certificates.ts'
import type { TestTls } from './test-tls.ts'

export type { TestTls }

export async function makeTestTls(): Promise<TestTls> {
  const authority = await makeAuthority(Date.now(), randomBytes)
  return { caPem: authority.cert, leaf: await makeLeaf(authority, Date.now(), randomBytes) }
}
