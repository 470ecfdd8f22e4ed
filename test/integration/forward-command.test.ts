/** `countersign forward`: its output, its messages, and what remains after it exits. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectToInstance } from '../../src/core/control/connect.ts'
import type { Client } from '../../src/shared/rpc/client.ts'
import { sendDelivery } from '../support/deliver.ts'
import { exitOf, linesOf, cliOfFile } from './cli-fixture.ts'
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

function start(...args: string[]) {
  const child = cli.start`forward ${args}`
  const said: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()))
  return { child, said: () => said.join('') }
}

test('prints an object for each delivery, and removes its target when stopped', async () => {
  const endpoint = await rawEndpoint()
  const { child, said } = start('--to', endpoint.origin, '--query', 'wanted:true', '--json')
  const { lines, until } = linesOf(child)
  await expect.poll(targets).toMatchObject([{ temporary: true, query: 'wanted:true' }])
  await deliver('{"wanted":false}')
  await deliver('{"wanted":true}')
  await until(1)
  const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>
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
  expect(line).toMatchObject({ status: 200, error: null, outcome: 'first-pass', event: null })
  expect(endpoint.requests.map(({ body }) => body.toString())).toEqual(['{"wanted":true}'])
  await endpoint.close()
  await deliver('{"wanted":true}')
  await expect.poll(said).toContain('Down: Connection refused')
  child.kill('SIGINT')
  expect(await exitOf(child)).toBe(0)
  expect(said()).toContain('1 delivery was not forwarded.')
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
  const { child, said } = start('--to', endpoint.origin, '--hold', 'debugger')
  await expect.poll(said).toContain('Some')
  expect(said()).toContain(
    "The existing target Everything already responds to every delivery, so this one won't.",
  )
  expect(said()).toContain(
    "The existing target Some already responds to deliveries that match wanted:true, so this one won't.",
  )
  expect(said()).not.toMatch(/Off|Behind/)
  child.kill('SIGINT')
  expect(await exitOf(child)).toBe(0)
  for (const id of ids) await client.call('forward.remove', { id })
})

test('killed, leaves pending deliveries with a paused target', async () => {
  const gone = await rawEndpoint()
  await gone.close()
  const { child } = start('--to', gone.origin, '--name', 'Left')
  await expect.poll(targets).toHaveLength(1)
  await deliver('{}')
  await expect.poll(async () => (await targets())[0]?.queue.waiting).toBe(1)
  child.kill('SIGKILL')
  await exitOf(child)
  await expect
    .poll(targets)
    .toMatchObject([{ name: 'Left', temporary: false, paused: true, queue: { waiting: 1 } }])
})
