/**
 * Runs the re-signing command in a shell, and signs each request again with an implementation that
 * shares no code with it.
 */
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { replayCurl, type ReplayCurl } from '../../src/shared/snippets/curl.ts'
import { signatureOf } from '../support/deliver.ts'
import { headerOf, startRawEndpoint, type RawEndpoint } from '../support/replay-fixture.ts'

const run = promisify(execFile)
const SECRET = `it's a "secret" $HOME \\`
const URL_SIGNED = `https://public.example/h?a=b&c='d'`
const canRun = ['sh', 'curl', 'openssl'].every(
  (program) => spawnSync(program, ['--version']).error === undefined,
)

let endpoint: RawEndpoint

beforeAll(async () => {
  endpoint = await startRawEndpoint()
})
afterEach(() => {
  endpoint.requests.splice(0)
})
afterAll(async () => {
  await endpoint.close()
})

const parts: ReplayCurl = {
  target: '',
  method: 'POST',
  headers: [
    ['host', 'left-out'],
    ['X-B', 'b'],
    ['content-type', 'application/json'],
    ['X-Service-Signature', 'old'],
    ['x-service-timestamp', 'old'],
    ['x-b', `c 'd' "e" $HOME \\`],
    ['X-Empty', ''],
    ['X-Latin', 'caf\u00e9 100%'],
    ['content-length', '1'],
  ],
  body: new Uint8Array(),
  signedUrl: URL_SIGNED,
  timestamp: null,
  prefixes: ['service', 'other'],
  secret: null,
  options: [],
}

/** Runs the command in a shell with the secret, and captures its output. */
function piped(change: Partial<ReplayCurl>, secret: string | null = SECRET) {
  const { WEBHOOK_SECRET: _, ...env } = process.env
  const command = replayCurl({ ...parts, ...change })
  return run('bash', ['-c', command], {
    env: secret === null ? env : { ...env, WEBHOOK_SECRET: secret },
  })
}

/** Runs curl in a shell and returns its output. */
async function shell(change: Partial<ReplayCurl>, secret: string | null = SECRET): Promise<string> {
  return (await piped(change, secret)).stdout
}

const bodies: readonly (readonly [string, Uint8Array])[] = [
  ['JSON', Buffer.from('{"name":"Caf\u00e9","it\'s":"$HOME `id` \\\\n"}')],
  ['a text that ends in line breaks', Buffer.from('a\n\n')],
  ['what curl takes for a file', Buffer.from('@/etc/hostname')],
  ['bytes that are no text', Uint8Array.from({ length: 256 }, (_, index) => index)],
  ['carriage returns', Buffer.from('a\r\nb')],
]

describe.skipIf(!canRun || process.platform === 'win32')('the re-signing command', () => {
  test('prints no progress, but errors', async () => {
    expect((await piped({ target: `${endpoint.origin}/in`, body: Buffer.from('{}') })).stderr).toBe(
      '',
    )
    const closed = await startRawEndpoint()
    await closed.close()
    await expect(piped({ target: closed.origin, body: Buffer.from('{}') })).rejects.toMatchObject({
      stderr: expect.stringMatching(/^curl: \(7\) [^\n]*\n$/),
    })
  })

  test.each(bodies)(
    'sends bytes and headers unchanged, and signs them: %s',
    async (_name, body) => {
      await shell({ target: `${endpoint.origin}/a/../b?x=[1]&y={z}`, body, method: 'PUT' })
      const [request] = endpoint.requests
      expect(request?.line).toBe('PUT /a/../b?x=[1]&y={z} HTTP/1.1')
      expect(request?.body.equals(body)).toBe(true)
      const [signature, timestamp = ''] = ['X-Service-Signature', 'x-service-timestamp'].map(
        (name) => headerOf(request, name.toLowerCase()),
      )
      expect(request?.headers).toEqual([
        `Host: 127.0.0.1:${endpoint.port}`,
        'X-B: b',
        'content-type: application/json',
        `X-Service-Signature: ${signature}`,
        `x-service-timestamp: ${timestamp}`,
        `x-b: c 'd' "e" $HOME \\`,
        'X-Empty:',
        'X-Latin: caf\u00e9 100%',
        `Content-Length: ${body.length}`,
      ])
      expect(signature).toBe(signatureOf(SECRET, body, URL_SIGNED, timestamp))
      expect(Math.abs(Number(timestamp) - Date.now())).toBeLessThan(60_000)
    },
  )

  test("has a body only if the delivery has one, and sends headers unchanged if it doesn't sign", async () => {
    await shell({ target: `${endpoint.origin}/`, method: 'DELETE', signedUrl: null }, null)
    expect(endpoint.requests).toMatchObject([{ line: 'DELETE / HTTP/1.1', body: Buffer.alloc(0) }])
    expect(headerOf(endpoint.requests[0], 'x-service-signature')).toBe('old')
  })

  test('contains the secret only if given; otherwise it names the missing part', async () => {
    expect(replayCurl(parts)).not.toContain(SECRET.slice(0, 6))
    await expect(shell({ target: endpoint.origin }, null)).rejects.toThrow(
      'Set it to the hook secret',
    )
    expect(endpoint.requests).toEqual([])
    await shell({ target: endpoint.origin, secret: SECRET }, null)
    expect(endpoint.requests).toHaveLength(1)
  })
})
