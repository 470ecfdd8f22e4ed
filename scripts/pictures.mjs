/**
 * `node scripts/pictures.mjs [NAME…]` takes the pictures of `docs/images`, which show the default
 * ports.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { chromium } from '@playwright/test'
import { chromiumArguments, findChromium, findHeadlessShell } from './lib/chromium.ts'
import { palettePng } from './lib/palette-png.ts'

const root = new URL('../', import.meta.url)
const cli = new URL('bin/countersign.mjs', root).pathname
const selectedNames = process.argv.slice(2)
const SECRET = 'whsec-of-the-pictures'
const HANDLER_PORT = 3000
const REGISTERED_URL = 'https://hooks.example.com/webhooks'

/** A handler with two mistakes: re-serializes the JSON, and fails on clearings at /books. */
const handler = createServer((request, response) => {
  void text(request).then((body) => {
    const sign = (data) => createHmac('sha256', SECRET).update(data).digest('base64')
    const { 'x-service-signature': signature, 'x-service-timestamp': timestamp } = request.headers
    const answer = (status) => response.writeHead(status).end()
    try {
      const payload = JSON.parse(body)
      const isFresh = Math.abs(Date.now() - Number(timestamp)) <= 300_000
      if (request.method !== 'POST') answer(405)
      else if (request.url === '/books' && payload.cleared) {
        response.writeHead(500, { 'content-type': 'application/json' })
        response.end(
          JSON.stringify({
            error: 'LedgerConflict',
            message: 'Already settled',
            at: 'settle.ts:41',
          }),
        )
      } else if (request.url === '/books') answer(200)
      else
        answer(
          isFresh &&
            sign(sign(JSON.stringify(payload) + REGISTERED_URL + String(timestamp))) === signature
            ? 200
            : 401,
        )
    } catch {
      answer(request.method === 'POST' ? 400 : 405)
    }
  })
})

const executablePath = findHeadlessShell() ?? findChromium() ?? undefined
const browser = await chromium.launch({
  executablePath,
  args: chromiumArguments,
  chromiumSandbox: process.getuid?.() !== 0,
})

function run(data, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args, '--data', data], {
    encoding: 'utf8',
  })
  if (status !== 0)
    throw new Error(`countersign ${args.join(' ')} exited with ${status}: ${stderr}`)
  return stdout
}

async function withApp(visit) {
  const data = mkdtempSync(join(tmpdir(), 'countersign-pictures-'))
  const server = spawn(process.execPath, [cli, 'serve', '--json', '--no-open', '--data', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(server, 'exit')
  const context = await browser.newContext({
    colorScheme: 'dark',
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  })
  try {
    const [line] = await Promise.race([
      once(createInterface({ input: server.stdout }), 'line'),
      ended.then(() => [null]),
    ])
    if (line === null) throw new Error("The app didn't start.")
    const page = await context.newPage()
    await page.goto(JSON.parse(line).ui)
    await page.getByRole('navigation', { name: 'Navigation' }).waitFor()
    await visit(page, (...args) => run(data, ...args))
  } finally {
    await context.close()
    server.kill('SIGTERM')
    await ended
    rmSync(data, { recursive: true, force: true })
  }
}

async function take(page, name) {
  if (selectedNames.length > 0 && !selectedNames.includes(name)) return
  // Moves the pointer away from tooltips and waits for animations.
  await page.mouse.move(720, 890)
  await page.waitForTimeout(500)
  const png = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  const blank = await page.context().newPage()
  const base64 = await blank.evaluate(async (source) => {
    const image = await createImageBitmap(
      await (await fetch(`data:image/png;base64,${source}`)).blob(),
    )
    const drawing = new OffscreenCanvas(image.width, image.height).getContext('2d')
    drawing.drawImage(image, 0, 0)
    return new Uint8Array(
      drawing.getImageData(0, 0, image.width, image.height).data.buffer,
    ).toBase64()
  }, png.toString('base64'))
  await blank.close()
  const file = palettePng({ width: 1440, height: 900, rgba: Buffer.from(base64, 'base64') })
  writeFileSync(new URL(`docs/images/${name}.png`, root), file)
  console.log(`${name}.png, ${Math.round(file.length / 1000)} kB`)
}

const goTo = (page, place) =>
  page.getByRole('navigation', { name: 'Navigation' }).getByRole('button', { name: place }).click()
const button = (page, name) => page.getByRole('button', { name, exact: true })

async function takeFirstSteps(page) {
  await take(page, 'first-run')
  const walk = page.getByRole('region', { name: 'Quick tour' })
  await button(page, 'Take the quick tour · 2 minutes').click()
  for (const step of ['Send sample', 'Next', 'Next', 'Change one character and resend'])
    await button(walk, step).click()
  await walk.getByText('Invalid: the signature').waitFor()
  await take(page, 'first-walk')
}

async function takeDeliveries(page, command) {
  const events = [
    'transaction.auth',
    'transaction.clearing',
    'transaction.refund',
    'card.linked',
    'location.status',
  ]
  const [program] = command('sandbox', 'list', 'program', '--json').split('\n')
  for (const event of events) {
    const header = event === 'transaction.auth' ? ['--header', 'X-Team: payments'] : []
    command(
      'hooks',
      'add',
      '--event',
      event,
      '--program',
      JSON.parse(program).id,
      '--environment',
      'sandbox-test',
      ...header,
    )
  }
  command('hooks', 'add', '--event', 'brand.consent', '--environment', 'sandbox-live', '--live')
  const sent = [
    'location.status',
    'card.linked',
    'transaction.auth',
    'transaction.refund',
    'transaction.auth duplicate',
    'card.linked',
    'transaction.auth stale',
    'transaction.clearing',
    'transaction.auth altered-body',
    'transaction.auth single-pass',
    'card.linked',
    'transaction.auth',
  ]
  for (const one of sent) {
    const [event, fault] = one.split(' ')
    command('trigger', event, ...(fault === undefined ? [] : ['--fault', fault]))
  }
  const rows = page.getByRole('grid', { name: 'Deliveries, newest first' }).getByRole('row')
  const withVerdict = (verdict) => rows.filter({ has: page.getByText(verdict, { exact: true }) })
  await withVerdict('Valid').filter({ hasText: 'transaction.auth' }).first().click()
  await page.getByRole('tab', { name: 'Signature' }).click()
  await page.getByText('Signed with the').first().waitFor()
  await take(page, 'deliveries')
  await withVerdict('Invalid').first().click()
  await page.getByText('Signature hashed once instead of twice').first().waitFor()
  await take(page, 'signature-invalid')
}

async function takeHooks(page) {
  await goTo(page, 'Hooks')
  await page
    .getByRole('region', { name: 'Hook list' })
    .getByRole('row')
    .filter({ hasText: 'transaction.auth' })
    .first()
    .click()
  await page.getByRole('heading', { name: 'Recent deliveries' }).waitFor()
  await take(page, 'hooks')
}

async function takeSandbox(page) {
  await goTo(page, 'Sandbox')
  await page
    .getByRole('group', { name: 'Advance clock' })
    .getByRole('button', { name: '+72 h' })
    .click()
  await page.getByRole('button', { name: /^Send transaction\.auth/ }).click()
  await page.getByText('Acknowledged').first().waitFor()
  await take(page, 'sandbox')
}

async function takeFlows(page, command) {
  command(
    'handlers',
    'add',
    'local',
    '--url',
    `localhost:${HANDLER_PORT}/books`,
    '--secret',
    SECRET,
  )
  command('handlers', 'use', 'local')
  await page.evaluate(() => {
    location.hash = '#/flows/purchase-visa'
  })
  await button(page, 'Run').click()
  await button(page, 'Run again').waitFor()
  await page.keyboard.press('.')
  await take(page, 'flows')
}

async function takeCheck(page, command) {
  const url = `localhost:${HANDLER_PORT}/webhooks`
  const verifies = ['--secret', SECRET, '--registered-url', REGISTERED_URL]
  command('handlers', 'add', 'webhooks', '--url', url, ...verifies)
  command('handlers', 'use', 'webhooks')
  await page.keyboard.type('gk')
  await button(page, 'Start check').click()
  await page.getByText('re-serializes the JSON before hashing').first().waitFor({ timeout: 60_000 })
  await page.getByText('JSON with escaped characters').first().click()
  await take(page, 'check')
}

handler.listen(HANDLER_PORT, '127.0.0.1')
await once(handler, 'listening')
try {
  await withApp(takeFirstSteps)
  await withApp(async (page, command) => {
    await takeDeliveries(page, command)
    for (const rest of [takeHooks, takeSandbox, takeFlows, takeCheck]) await rest(page, command)
  })
} finally {
  handler.closeAllConnections()
  handler.close()
  await browser.close()
}
