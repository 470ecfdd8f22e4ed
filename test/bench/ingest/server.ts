/**
 * Runs a compared server in its own process: `node server.ts bare|plain|mockttp|countersign
 * FOLDER`. It prints one line of JSON when it listens, and exits when its stdin closes. `plain` is
 * bare without TLS: the endpoint of the replays.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer as createPlainServer, type RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'

import { limitYoungGeneration } from '../../../src/core/base/threads/memory.ts'
import { startTestCore } from '../../support/test-core.ts'

export interface Listening {
  readonly port: number
  readonly caFile: string
}

const [kind, folder] = process.argv.slice(2) as [
  'bare' | 'plain' | 'mockttp' | 'countersign',
  string,
]
/**
 * Reads the product's certificate for the bare server. mockttp creates its own; on keep-alive
 * connections that costs the same.
 */
const tls = () => ({
  key: readFileSync(join(folder, 'tls', 'leaf.key')),
  cert: readFileSync(join(folder, 'tls', 'leaf.pem')),
})

const accept: RequestListener = (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    Buffer.concat(chunks)
    response.writeHead(200, { 'content-length': '0' })
    response.end()
  })
}

async function listening(server: Server): Promise<Listening> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, caFile: join(folder, 'tls', 'ca.pem') }
}

const bare = () => listening(createServer({ ...tls(), ALPNProtocols: ['http/1.1'] }, accept))
const plain = () => listening(createPlainServer(accept))

async function mockttp(): Promise<Listening> {
  const { generateCACertificate, getLocal } = await import('mockttp')
  const ca = await generateCACertificate()
  const caFile = join(folder, 'mockttp-ca.pem')
  writeFileSync(caFile, ca.cert)
  const server = getLocal({ https: ca, recordTraffic: true, http2: false })
  await server.start()
  await server.forAnyRequest().thenReply(200, '')
  return { port: server.port, caFile }
}

async function countersign(): Promise<Listening> {
  // Like `serve`.
  limitYoungGeneration()
  const { receiver, caFile } = await startTestCore({ dataFolder: folder })
  return { port: Number(new URL(receiver).port), caFile }
}

process.stdout.write(`${JSON.stringify(await { bare, plain, mockttp, countersign }[kind]())}\n`)
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
