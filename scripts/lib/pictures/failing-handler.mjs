/** A handler on loopback with mistakes to show: one per path. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

export const SECRET = 'whsec-of-the-pictures'
export const REGISTERED_URL = 'https://hooks.example.com/webhooks'

const sign = (data) => createHmac('sha256', SECRET).update(data).digest('base64')

/** Fails on clearings, and checks nothing. */
function keepBooks(payload, response) {
  if (!payload.cleared) return response.writeHead(200).end()
  response.writeHead(500, { 'content-type': 'application/json' })
  const problem = { error: 'LedgerConflict', message: 'Already settled', at: 'settle.ts:41' }
  return response.end(JSON.stringify(problem))
}

/** Re-serializes the JSON before it verifies the signature. */
function verify(payload, headers, response) {
  const timestamp = String(headers['x-service-timestamp'])
  const isFresh = Math.abs(Date.now() - Number(timestamp)) <= 300_000
  const expected = sign(sign(JSON.stringify(payload) + REGISTERED_URL + timestamp))
  const isValid = isFresh && expected === headers['x-service-signature']
  return response.writeHead(isValid ? 200 : 401).end()
}

async function respond(request, response) {
  const body = await text(request)
  if (request.method !== 'POST') return response.writeHead(405).end()
  try {
    const payload = JSON.parse(body)
    if (request.url === '/books') return keepBooks(payload, response)
    return verify(payload, request.headers, response)
  } catch {
    return response.writeHead(400).end()
  }
}

/**
 * Starts the handler.
 * @returns Its port and what stops it.
 */
export async function startHandler(port) {
  const server = createServer((request, response) => void respond(request, response))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: server.address().port,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
