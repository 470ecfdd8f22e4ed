import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { startEndpoint } from '../../../../test/support/https-endpoint.ts'
import { makeTestTls } from '../../../../test/support/tls.ts'
import { createSender, trustedAuthorities } from './sender.ts'
import { readSystemAuthorities, trustSystemAuthorities } from './system-authorities.ts'

let usual: string[]
const trusted = () => getCACertificates('default').length
afterEach(() => {
  setDefaultCACertificates(usual)
})

beforeAll(() => {
  // Node drops repetitions when certificates are set, which the list may have before.
  setDefaultCACertificates(getCACertificates('default'))
  usual = getCACertificates('default')
})

const warnings: string[] = []
const log = {
  warn(message: string, fields?: Record<string, unknown>) {
    warnings.push(`${message} ${String(fields?.['reason'])}`)
  },
}

test("an endpoint with a certificate of the company's CA is reached once the system trusts that CA", async () => {
  const { caPem, leaf } = await makeTestTls()
  const endpoint = await startEndpoint(leaf, () => 200)
  const reach = async () => {
    const sender = createSender({
      authorities: trustedAuthorities([]),
      monotonic: () => performance.now(),
    })
    const result = await sender.send({
      url: `${endpoint.origin}/in`,
      headers: [],
      body: Buffer.from('{}'),
    })
    await sender.close()
    return result
  }
  try {
    expect(await reach()).toMatchObject({ status: null })
    await trustSystemAuthorities(() => Promise.resolve([caPem]), log)
    expect(await reach()).toMatchObject({ status: 200 })
    expect(trusted(), 'the others stay').toBe(usual.length + 1)
  } finally {
    await endpoint.close()
  }
})

test('the certificates of this system are read in a thread', async () => {
  const read = await readSystemAuthorities(
    new URL('./system-authorities-thread.ts', import.meta.url),
  )
  expect(read).toEqual(getCACertificates('system'))
})

test('a failure is logged, and nobody waits longer than the limit', async () => {
  await trustSystemAuthorities(() => Promise.reject(new Error('keychain locked')), log)
  expect(warnings).toEqual([expect.stringContaining('keychain locked')])
  const late = Promise.withResolvers<string[]>()
  await trustSystemAuthorities(() => late.promise, log, 1)
  expect(trusted()).toBe(usual.length)
  late.resolve([(await makeTestTls()).caPem])
  await expect.poll(trusted).toBe(usual.length + 1)
})
