/**
 * An agent finds out why a handler rejects everything, with nothing but the output of the tools.
 * The scripted agent follows the calls that the answers propose; the only other thing it does is
 * copy the signature that the handler computed from its response. The sessions are written to
 * `mcp.md`.
 */
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cliOfFile } from '../integration/cli-fixture.ts'
import { listen } from '../support/listen.ts'
import { signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import {
  capturedOf,
  nextCallOf,
  outlineOf,
  startMcp,
  transcriptOf,
  type McpSession,
} from '../support/mcp-client.ts'
import { samplePayloads } from '../support/sample-payloads.ts'

const cli = cliOfFile()
const SECRET = 'whsec_of_the_handler_0123456789'
const OTHER_SECRET = 'whsec_of_another_hook_9876543210'
const MOST_CALLS = 9

interface Verifier {
  readonly secret: string
  readonly prefix: string
  readonly hashed: (body: string) => string
  readonly passes: 1 | 2
}

const right: Verifier = { secret: SECRET, prefix: 'service', hashed: (body) => body, passes: 2 }
/** Spaces after commas and colons, as `json.dumps` writes them. */
const spaced = (body: string) =>
  JSON.stringify(JSON.parse(body), null, 1)
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(/([[{]) | ([\]}])/g, '$1$2')

/** Planted causes, and what the agent must find. */
const causes: readonly (readonly [title: string, planted: Partial<Verifier>, found: string])[] = [
  ['the secret of another hook', { secret: OTHER_SECRET }, 'secret:other-hook'],
  ['a single HMAC pass', { passes: 1 }, 'passes:once'],
  ['the body parsed and written again', { hashed: spaced }, 'body:'],
  ['another header prefix', { prefix: 'acme' }, 'header prefix'],
]

let verifier = right
let registeredUrl: string
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString()
    const header = (name: string) => String(request.headers[`x-${verifier.prefix}-${name}`] ?? '')
    const pass = (text: string) =>
      createHmac('sha256', verifier.secret).update(text).digest('base64')
    let hashed = body
    try {
      hashed = verifier.hashed(body)
    } catch {
      // Not JSON: hashed unchanged.
    }
    const once = pass(hashed + registeredUrl + header('timestamp'))
    const computed = verifier.passes === 1 ? once : pass(once)
    const isValid = computed === header('signature')
    const problem =
      header('signature') === ''
        ? { error: `missing header x-${verifier.prefix}-signature` }
        : { error: 'invalid signature', computed }
    response.writeHead(isValid ? 200 : 401, { 'content-type': 'application/json' })
    response.end(isValid ? '' : JSON.stringify(problem))
  })
})
const sessions: string[] = []

beforeAll(async () => {
  const port = await listen(server)
  const core = await coreInFolder({ dataFolder: cli.data })
  registeredUrl = `${core.receiver}/h/purchases`
  const hook = {
    event: 'transaction.auth',
    url: registeredUrl,
    secret: SECRET,
  }
  const { id: hookId } = await core.call('hooks.import', hook)
  await core.call('hooks.import', {
    ...hook,
    event: 'transaction.clearing',
    url: `${core.receiver}/h/clearings`,
    secret: OTHER_SECRET,
  })
  const url = `http://127.0.0.1:${port}/webhooks`
  await core.call('handlers.add', { name: 'local', url, hookId })
  const body = JSON.stringify(samplePayloads['transaction.auth'])
  await core.send(registeredUrl, { body, headers: signedHeaders(SECRET, body, registeredUrl) })
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/** Follows the answers until one names a cause, and looks it up; resolves with it. */
async function solve(session: McpSession): Promise<string> {
  let reply = await session.call('deliveries_list')
  while (session.calls.length < MOST_CALLS) {
    const call = nextCallOf(reply)
    const missing = /"error":"missing header x-([a-z]+)-signature"/.exec(capturedOf(reply))?.[1]
    if (missing !== undefined && call?.name === 'signature_explain') {
      // The delivery's own headers have another prefix.
      const shown = session.calls.find(({ name }) => name === 'delivery_show')
      const sent = /^x-([a-z]+)-signature:/m.exec(capturedOf(shown!.reply))?.[1]
      expect([missing, sent]).toEqual(['acme', 'service'])
      await session.call('docs_search', { query: 'header prefix' })
      return 'header prefix'
    }
    if (call === null) throw new Error(`The answer proposes no call:\n${reply.text}`)
    const computed = /"computed":"([^"]+)"/.exec(capturedOf(reply))?.[1]
    const fills = JSON.stringify(call.input).includes('"<')
    const input = fills ? { ...call.input, computed } : call.input
    // Its only preference: the handler is on this computer, so it can take more.
    reply = await session.call(
      call.name,
      call.name === 'handler_check' ? { ...input, rate: 500 } : input,
    )
    if (call.name === 'docs_search') return String(call.input['query'])
  }
  throw new Error('Not solved.')
}

test.each(causes)('a handler that rejects everything: %s', async (title, planted, found) => {
  verifier = { ...right, ...planted }
  const session = await startMcp(cli, ['--allow-sends'])
  const cause = await solve(session)
  expect(cause).toContain(found)
  expect(session.calls.length).toBeLessThanOrEqual(MOST_CALLS)
  // The last answer is the page of the documentation with the fix.
  expect(outlineOf(session.calls.at(-1)!.reply)).toMatch(/^docs\//)
  expect(outlineOf(session.calls.at(-1)!.reply)).toContain(found.split(' ').at(-1))
  const text = JSON.stringify(session.calls)
  expect(text).not.toContain(SECRET)
  expect(text).not.toContain(OTHER_SECRET)
  sessions.push(transcriptOf(session, `${title}: ${session.calls.length} calls`))
  await session.close()
})

test('whether a change broke anything takes one call', async () => {
  verifier = right
  const before = await startMcp(cli, ['--allow-sends'])
  await before.call('delivery_replay', { ids: ['latest'] })
  await before.close()
  verifier = { ...right, passes: 1 }
  const session = await startMcp(cli, ['--allow-sends'])
  const reply = await session.call('delivery_replay', {
    query: 'event:transaction.*',
    against: 'previous',
  })
  expect(outlineOf(reply)).toMatch(/^broken true, changed true, /)
  expect(outlineOf(reply)).toContain('total 1, regressed 1, changed 0')
  expect(capturedOf(reply)).toContain(
    '1 × transaction.auth: 200 → 401, body "error": "invalid signature"',
  )
  sessions.push(transcriptOf(session, 'Did my change break anything? 1 call'))
  await session.close()
})

test('the sessions', async () => {
  const intro =
    '# Sessions of an agent\n\nHow an agent finds the cause with the tools of `countersign mcp --allow-sends`. Made by `mcp.test.ts`.\n\n'
  await expect(intro + sessions.join('\n')).toMatchFileSnapshot('./mcp.md')
})
