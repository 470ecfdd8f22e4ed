/** Takes the pictures of `docs/images`, which show the default ports. */
import { writeFileSync } from 'node:fs'
import { palettePng } from '../palette-png.ts'
import { REGISTERED_URL, SECRET, startHandler } from './failing-handler.mjs'
import { launchBrowser, withApp } from './served-app.mjs'

const root = new URL('../../../', import.meta.url)
const HANDLER_PORT = 3000

/** Names given on the command line; all pictures are taken if it is empty. */
const selectedNames = new Set()

/** Writes a picture of the page with 256 colors. */
async function take(page, name) {
  if (selectedNames.size > 0 && !selectedNames.has(name)) return
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
  await take(page, 'quick-tour')
}

async function takeDeliveries(page, app) {
  const events = [
    'transaction.auth',
    'transaction.clearing',
    'transaction.refund',
    'card.linked',
    'location.status',
  ]
  const [program] = (await app.run('sandbox list program --json')).split('\n')
  const add = `hooks add --program ${JSON.parse(program).id} --environment sandbox-test --event`
  for (const event of events) {
    const header = event === 'transaction.auth' ? ['--header', 'X-Team: payments'] : []
    await app.run([...add.split(' '), event, ...header])
  }
  await app.run('hooks add --event brand.consent --environment sandbox-live --live')
  const sent = [
    'location.status',
    'card.linked',
    'transaction.auth',
    'transaction.refund',
    'transaction.auth --fault duplicate',
    'card.linked',
    'transaction.auth --fault stale',
    'transaction.clearing',
    'transaction.auth --fault altered-body',
    'transaction.auth --fault single-pass',
    'card.linked',
    'transaction.auth',
  ]
  for (const event of sent) await app.run(`trigger ${event}`)
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
  await page.emulateMedia({ colorScheme: 'light' })
  await take(page, 'hooks')
  await page.emulateMedia({ colorScheme: 'dark' })
}

async function takeSandbox(page) {
  await goTo(page, 'Sandbox')
  await page.getByRole('group', { name: 'Advance' }).getByRole('button', { name: '72 h' }).click()
  await page.getByRole('button', { name: /^Send transaction\.auth/ }).click()
  await page.getByRole('region', { name: 'Sent' }).getByText('Valid').first().waitFor()
  await take(page, 'sandbox')
}

async function takeFlows(page, app) {
  await app.run(`handlers add local --url localhost:${HANDLER_PORT}/books --secret ${SECRET}`)
  await app.run('handlers use local')
  await page.evaluate(() => {
    location.hash = '#/flows/purchase-visa'
  })
  await button(page, 'Run').click()
  await button(page, 'Run again').waitFor()
  await page.keyboard.press('.')
  await take(page, 'flows')
}

async function takeCheck(page, app) {
  const url = `localhost:${HANDLER_PORT}/webhooks`
  await app.run(
    `handlers add webhooks --url ${url} --secret ${SECRET} --registered-url ${REGISTERED_URL}`,
  )
  await app.run('handlers use webhooks')
  await page.keyboard.type('gk')
  await button(page, 'Start check').click()
  await page.getByText('re-serializes the JSON before hashing').first().waitFor({ timeout: 60_000 })
  await page.getByText('JSON with escaped characters').first().click()
  await take(page, 'check')
}

/**
 * Takes the pictures of the documentation.
 * @param names Names of pictures; all if empty.
 */
export async function takeDocumentation(names) {
  for (const name of names) selectedNames.add(name)
  const handler = await startHandler(HANDLER_PORT)
  const browser = await launchBrowser()
  try {
    await withApp({}, async (app) => takeFirstSteps(await app.open(browser)))
    await withApp({}, async (app) => {
      const page = await app.open(browser)
      for (const part of [takeDeliveries, takeHooks, takeSandbox, takeFlows, takeCheck])
        await part(page, app)
    })
  } finally {
    await browser.close()
    handler.stop()
  }
}
