import { appendFileSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { coreInFolder } from '../support/in-folder.ts'

const SECRET = 'canary-secret-of-a-hook/0123456789'
const KEY = 'sk_test_canary_of_an_environment_0123456789'
const BODY = JSON.stringify({ cardholder: 'canary-of-a-body' })

test('names versions, checks, settings and the end of the log, and no secret, delivery or handler', async () => {
  const core = await coreInFolder()
  const { call } = core
  const hook = { event: 'transaction.auth', url: `${core.receiver}/h/canary-path`, secret: SECRET }
  await call('hooks.import', hook)
  await call('environments.add', {
    name: 'canary',
    mode: 'test',
    baseUrl: 'https://canary-host.example',
    auth: 'service-key',
    key: KEY,
  })
  await call('forward.add', { url: 'http://127.0.0.1:9/canary-handler' })
  await call('receiver.setPublicUrl', { url: 'https://canary-tunnel.localhost:9' })
  await core.deliver({ url: hook.url, secret: SECRET }, BODY)
  // A log never contains them, but a bug could: they are masked by what is known of them.
  mkdirSync(join(core.dataFolder, 'logs'), { recursive: true })
  const lines = [
    'a last line',
    SECRET,
    encodeURIComponent(SECRET),
    KEY,
    `home ${homedir()}/x`,
    'Bearer abcdefghijklmnop',
  ]
  appendFileSync(
    join(core.dataFolder, 'logs', 'countersign.log'),
    lines.map((line) => `${JSON.stringify({ line })}\n`).join(''),
  )

  const { name, text } = await call('app.diagnostics', {})
  expect(name).toMatch(/^countersign-diagnostics-\d{4}-\d\d-\d\dT\d\d-\d\d\.json$/)
  const content = JSON.parse(text) as { checks: object[]; log: string[] }
  expect(content).toMatchObject({
    version: '0.0.0-test',
    system: { platform: process.platform, versions: { node: process.versions.node } },
    receiver: { state: 'listening', hasPublicUrl: true },
    stored: { hooks: 1, settings: { desktop: { onClose: 'ask' } } },
  })
  expect(content.checks.length).toBeGreaterThan(5)
  expect(content.log[0]).toContain('a last line')
  expect(text.match(/canary/g)).toBeNull()
  expect(text).not.toContain(SECRET.slice(0, 20))
  expect(text).not.toContain('abcdefghijklmnop')
  expect(text).toContain('home ~/x')
})
