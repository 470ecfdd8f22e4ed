/**
 * Fills data folders for pictures: five days of deliveries in several scripts, handlers that fail,
 * and values too long for their place.
 */
import { fillFolder } from '../../../test/support/generated-folder.ts'
import { SECRET } from './failing-handler.mjs'

const DAYS_MS = 5 * 86_400_000
const HOUR_MS = 3_600_000
const COUNT = 3_000

/** Port in the URLs of generated hooks, where the sandbox's deliveries arrive. */
export const RECEIVER_PORT = 4430

/** Fills an empty folder with deliveries of the last five days. */
export const fillFiveDays = (data) =>
  fillFolder(
    data,
    { seed: 7, count: COUNT },
    { from: Date.now() - DAYS_MS, to: Date.now() - HOUR_MS },
  )

/** Adds handlers, sends, checks, flow runs and sandbox deliveries to a running app. */
export async function useFiveDays(app, handlerPort) {
  const origin = `http://127.0.0.1:${handlerPort}`
  await app.run(`handlers add local --url ${origin}/books --secret ${SECRET}`)
  await app.run(`handlers add hooks --url ${origin}/webhooks --secret ${SECRET}`)
  await app.run(
    `handlers add staging --url https://staging.northpine.example/webhooks --secret ${SECRET}`,
  )
  await app.run(`handlers add refused --url http://127.0.0.1:9/webhooks --secret ${SECRET}`)
  await app.run('handlers use local')
  await app.run(['replay', 'verdict:valid after:24h', '--to', '@local'], [0, 1])
  await app.run(['replay', 'event:card.linked after:48h', '--to', '@refused'], [0, 1, 3])
  const sent = [
    'transaction.auth',
    'transaction.auth --fault wrong-secret',
    'transaction.auth --fault stale',
    'transaction.auth --fault altered-body',
    'transaction.auth --fault single-pass',
    'transaction.auth --fault duplicate',
    'card.linked',
    'location.status',
  ]
  for (const event of sent) await app.run(`trigger ${event}`)
  await app.run('check @local', [0, 1])
  await app.run('flow run --all --handler @local --speed max', [0, 1])
}

/** Adds names, amounts, addresses and URLs that no column has room for. */
export async function useLongValues(app, handlerPort) {
  const long = (text, length) => text.repeat(Math.ceil(length / text.length)).slice(0, length)
  const origin = `http://127.0.0.1:${handlerPort}`
  const url = `${origin}/books/${long('webhooks/of/a/very/long/path/', 400)}`
  const name = long('handler-of-the-northern-books-and-settlements-', 40)
  await app.run(`handlers add ${name} --url ${url} --secret ${SECRET}`)
  await app.run(`handlers use ${name}`)
  const [program] = (await app.run('sandbox list program --json')).split('\n')
  const { id } = JSON.parse(program)
  const hook = ['hooks', 'add', '--environment', 'sandbox-test', '--program', id]
  const header = `X-${long('Team-', 60)}: ${long('payments and settlements ', 300)}`
  for (const event of ['transaction.clearing.qualified', 'card.linked'])
    await app.run([...hook, '--event', event, '--header', header])
  const changes = [
    `brand.name=${long('Żółta Księgarnia 寿司さくら مقهى النيل 🚲 ', 200)}`,
    'amount=123456789012.99',
    `location.address=${long('Friedrich-Ebert-Ufer ', 300)}`,
  ].flatMap((change) => ['--set', change])
  const clearing = ['trigger', 'transaction.clearing.qualified', ...changes]
  await app.run(clearing)
  await app.run([...clearing, '--fault', 'altered-body'])
  await app.run('trigger card.linked')
  await app.run(`replay event:transaction.clearing.qualified --to @${name}`, [0, 1])
  await app.run(`check @${name}`, [0, 1])
}
