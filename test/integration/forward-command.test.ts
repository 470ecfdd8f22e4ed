import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectToInstance } from '../../src/core/control/connect.ts'
import type { Client } from '../../src/shared/rpc/client.ts'
import { sendDelivery } from '../support/deliver.ts'
import { until } from '../support/until.ts'
import { exitOf, cliOfFile } from './cli-fixture.ts'
import { rawEndpoint } from '../support/temporary-folder.ts'

const cli = cliOfFile()

let ca: string
let receiver: string
let client: Client
let disconnect: () => void

beforeAll(async () => {
  const { info } = await cli.serve()
  ca = info.ca
  receiver = info.receiver
  const connection = await connectToInstance(cli.data)
  if (connection === null) throw new Error('The instance is not there.')
  client = connection.client
  disconnect = connection.close
})
afterAll(async () => {
  disconnect()
})

const targets = async () => (await client.call('forward.list', {})).targets
const deliver = (body: string) => sendDelivery(ca, { url: `${receiver}/in`, body })

const targetsAre = (areRight: (all: Awaited<ReturnType<typeof targets>>) => boolean) =>
  until(client, 'forward.changed', targets, areRight)

test('prints an object for each delivery, and removes its target when stopped', async () => {
  const endpoint = await rawEndpoint()
  const hook = { event: 'card.linked', url: `${receiver}/in`, secret: 'whsec_forwarded' }
  await client.call('hooks.import', hook)
  const command = cli.begin`forward --to ${endpoint.origin} --query wanted:true --json`
  expect(await targetsAre(({ length }) => length === 1)).toMatchObject([
    { temporary: true, query: 'wanted:true' },
  ])
  await deliver('{"wanted":false}')
  await sendDelivery(ca, { ...hook, body: '{"wanted":true}' })
  await command.until(1)
  const line = JSON.parse(command.lines[0] ?? '') as Record<string, unknown>
  expect(Object.keys(line)).toEqual([
    'deliveryId',
    'sendId',
    'status',
    'ms',
    'error',
    'outcome',
    'event',
    'target',
  ])
  expect(line).toMatchObject({ status: 200, error: null, outcome: 'passed' })
  expect(endpoint.requests.map(({ body }) => body.toString())).toEqual(['{"wanted":true}'])
  await endpoint.close()
  await deliver('{"wanted":true}')
  await expect.poll(command.said).toContain('Down: Connection refused')
  expect(await command.stop()).toBe(0)
  expect(command.said()).toContain('1 delivery was not forwarded.')
  expect(await targets()).toEqual([])
})

test('with --hold, reports immediately that an earlier target responds instead', async () => {
  const endpoint = await rawEndpoint()
  const add = async (name: string, change: object) =>
    (
      await client.call('forward.add', {
        name,
        url: endpoint.origin,
        answer: 'handler',
        ...change,
      })
    ).target.id
  const ids = [
    await add('Off', { on: false }),
    await add('Behind', { answer: 'rule' }),
    await add('Everything', {}),
    await add('Some', { query: 'wanted:true' }),
  ]
  const { said, stop } = cli.begin`forward --to ${endpoint.origin} --hold debugger`
  await expect.poll(said).toContain('Some')
  expect(said()).toContain(
    "The existing target Everything already responds to every delivery, so this one won't.",
  )
  expect(said()).toContain(
    "The existing target Some already responds to deliveries that match wanted:true, so this one won't.",
  )
  expect(said()).not.toMatch(/Off|Behind/)
  expect(await stop()).toBe(0)
  for (const id of ids) await client.call('forward.remove', { id })
})

test('killed, leaves pending deliveries with a paused target', async () => {
  const gone = await rawEndpoint()
  await gone.close()
  const child = cli.start`forward --to ${gone.origin} --name Left`
  await targetsAre(({ length }) => length === 1)
  await deliver('{}')
  await targetsAre(([one]) => one?.queue.waiting === 1)
  child.kill('SIGKILL')
  await exitOf(child)
  expect(await targetsAre(([one]) => one?.paused === true)).toMatchObject([
    { name: 'Left', temporary: false, queue: { waiting: 1 } },
  ])
})
