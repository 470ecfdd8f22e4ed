/**
 * Stands in for `cloudflared`: forwards HTTP from a local port to the given URL, verifying the
 * certificate, and writes its port to a file. Started by a script of that name (`installStandIn`).
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { createServer, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    config: { type: 'string' },
    url: { type: 'string' },
    'no-autoupdate': { type: 'boolean' },
    'origin-ca-pool': { type: 'string' },
    'origin-server-name': { type: 'string' },
  },
})
const { url = '', config = '' } = values
const ca = values['origin-ca-pool']
const mode = process.env['STANDIN_MODE'] ?? 'works'
const say = (level: string, text: string) =>
  process.stderr.write(`2026-11-21T10:00:00Z ${level} ${text}\n`)

const server = createServer((incoming, outgoing) => {
  const { host, port, protocol } = new URL(url)
  const start = protocol === 'https:' ? requestHttps : requestHttp
  const path = mode === 'alters' ? `/v2${incoming.url ?? ''}` : incoming.url
  const forwarded = start(
    {
      host: host.replace(/:\d+$/, ''),
      port,
      path,
      method: incoming.method,
      headers: incoming.headers,
      ...tls(),
    },
    (answer) => {
      outgoing.writeHead(mode === 'mute' ? 500 : (answer.statusCode ?? 502), answer.headers)
      answer.pipe(outgoing)
    },
  )
  forwarded.on('error', (error) => {
    say('ERR', `error="Unable to reach the origin service: ${error.message}" originService=${url}`)
    outgoing.writeHead(502).end('Bad gateway')
  })
  incoming.pipe(forwarded)
})

function tls() {
  const servername = values['origin-server-name']
  return {
    ...(ca === undefined ? {} : { ca: readFileSync(ca) }),
    ...(servername === undefined ? {} : { servername }),
    agent: false,
  }
}

readFileSync(config)
say('INF', 'Requesting new quick Tunnel on trycloudflare.com...')
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  const address = `https://stand-in-${process.pid}.trycloudflare.com`
  appendFileSync(
    process.env['STANDIN_LOG'] ?? '/dev/null',
    `${JSON.stringify({ pid: process.pid, origin: `http://127.0.0.1:${port}`, address, args: process.argv.slice(2), env: Object.keys(process.env) })}\n`,
  )
  if (mode === 'silent') return
  say(
    'INF',
    '+--------------------------------------------------------------------------------------------+',
  )
  say(
    'INF',
    '|  Your quick Tunnel has been created! Visit it at (it may take some time to be reachable):  |',
  )
  say('INF', `|  ${address.padEnd(90)}|`)
  say(
    'INF',
    '+--------------------------------------------------------------------------------------------+',
  )
  setTimeout(() => {
    say(
      'INF',
      'Registered tunnel connection connIndex=0 connection=2b3c event=0 ip=198.51.100.7 location=zrh01 protocol=quic',
    )
  }, 20)
})
