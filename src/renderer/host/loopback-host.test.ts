import { expect, test } from 'vitest'
import { createClient } from '../../shared/rpc/client.ts'
import { createMemoryPair } from '../../shared/rpc/transport.ts'
import { createLastingClient, pauseBefore } from './host.ts'

const paused = { state: 'paused', url: null, httpUrl: null, problem: null } as const

function connection() {
  const [own, other] = createMemoryPair()
  const emit = (seq: number) => {
    other.send(JSON.stringify({ kind: 'event', seq, event: 'receiver.changed', payload: paused }))
  }
  return { client: createClient(own), other, emit }
}

test('calls are rejected at once without a connection', async () => {
  await expect(createLastingClient().call('app.status', {})).rejects.toMatchObject({
    code: 'DISCONNECTED',
  })
})

test('listeners survive a reconnection and receive each event once', async () => {
  const client = createLastingClient()
  const heard: string[] = []
  client.on('receiver.changed', ({ state }) => heard.push(state))
  const first = connection()
  client.attach(first.client)
  first.emit(1)
  await Promise.resolve()
  client.disconnect('gone')
  const second = connection()
  client.attach(second.client)
  second.emit(1)
  await Promise.resolve()
  expect(heard).toEqual(['paused', 'paused'])
})

test('pending calls are rejected when the connection is lost', async () => {
  const client = createLastingClient()
  client.attach(connection().client)
  const call = client.call('app.status', {})
  client.disconnect('The connection was lost.')
  await expect(call).rejects.toMatchObject({
    code: 'DISCONNECTED',
    message: 'The connection was lost.',
  })
})

test('a removed listener receives nothing from later connections', async () => {
  const client = createLastingClient()
  const heard: string[] = []
  const stop = client.on('receiver.changed', ({ state }) => heard.push(state))
  stop()
  const { client: attached, emit } = connection()
  client.attach(attached)
  emit(1)
  await Promise.resolve()
  expect(heard).toEqual([])
})

test('delays between tries double up to five seconds', () => {
  expect([0, 1, 2, 3, 4, 5, 20].map(pauseBefore)).toEqual([
    250, 500, 1_000, 2_000, 4_000, 5_000, 5_000,
  ])
})
