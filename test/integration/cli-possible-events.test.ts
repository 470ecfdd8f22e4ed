import { beforeAll, expect, test } from 'vitest'
import { samplePayloads } from '../support/sample-payloads.ts'
import { sendDelivery } from '../support/deliver.ts'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()
const { run, json } = cli

let ca: string
let url: string
const body = JSON.stringify(samplePayloads['transaction.refund'])
const send = (secret: string) => sendDelivery(ca, { url, body, secret })
const eventsOf: (...typed: Parameters<typeof run>) => Promise<unknown[]> = async (...typed) =>
  (await run(...typed)).json().map(({ event }) => event)

beforeAll(async () => {
  const { info } = await cli.serve()
  ca = info.ca
  url = `${info.receiver}/h/refunds`
  expect(
    (await run`hooks import --event transaction.refund --url ${url} --secret whsec-refund-0123`)
      .code,
  ).toBe(0)
  await send('whsec-refund-0123')
  await send('whsec-another-0123')
})

test('list, export and show mark a possible refund as possible', async () => {
  expect(await eventsOf`deliveries event:transaction.refund --json`).toEqual([
    null,
    'transaction.refund',
  ])
  expect(await eventsOf`deliveries 'event:transaction.refund is:possible' --json`).toEqual([null])
  expect(await eventsOf`export event:transaction.refund`).toEqual(['transaction.refund', null])
  expect(await eventsOf`show latest:transaction.refund --json`).toEqual([null])
  expect((await run`show latest:transaction.refund`).text).toMatch(
    /^event +possible: .*transaction\.refund/m,
  )
  expect((await run`deliveries event:transaction.refund`).text).toMatch(
    /possible .*transaction\.refund/,
  )
})

test('wait counts only identified events by default', async () => {
  const waitFor = async (query: string, timeout: string) => {
    const waiting = run`wait --query ${query} --timeout ${timeout}`
    const sent: Promise<unknown>[] = []
    const sending = setInterval(() => sent.push(send('whsec-another-0123')), 500)
    const { code } = await waiting
    clearInterval(sending)
    await Promise.all(sent)
    return code
  }
  expect(await waitFor('event:transaction.refund', '3')).toBe(1)
  expect(await waitFor('event:transaction.refund is:possible', '180')).toBe(0)
})

test('delete keeps and counts possible matches', async () => {
  const left = (await json`deliveries 'event:transaction.refund is:possible'`).length
  const asked = await run`delete --query event:transaction.refund`
  expect(asked.stderr).toContain(
    `Kept ${left} possible matches. Add is:possible to the query to delete those.`,
  )
  expect(asked.stderr).toContain('would permanently delete 1 delivery')
  expect(await json`delete --query event:transaction.refund --yes`).toEqual([
    { deleted: 1, matched: 1, spared: 0, possible: left },
  ])
  expect(await eventsOf`deliveries event:transaction.refund --json`).toEqual(
    Array.from({ length: left }, () => null),
  )
  expect(await json`delete --query 'event:transaction.refund is:possible' --yes`).toEqual([
    { deleted: left, matched: left, spared: 0, possible: 0 },
  ])
})
