import { expect, test } from 'vitest'
import { RpcClient } from '../../shared/rpc/client.ts'
import { createMemoryPair } from '../../shared/rpc/memory-pair.ts'
import { pauseBefore } from './browser-host.ts'

const paused = { state: 'paused', url: null, httpUrl: null, problem: null } as const

test('listeners survive a reconnection and receive each event once; a removed one receives nothing', async () => {
  const client = new RpcClient()
  const received: string[] = []
  client.on('receiver.changed', ({ state }) => received.push(state))
  const stop = client.on('receiver.changed', () => received.push('removed'))
  await expect(client.call('app.status', {})).rejects.toMatchObject({ code: 'DISCONNECTED' })
  stop()
  for (let connection = 0; connection < 2; connection++) {
    const { client: own, core } = createMemoryPair()
    client.connect(own)
    const event = { kind: 'event', seq: 1, event: 'receiver.changed', payload: paused }
    core.send(JSON.stringify(event))
    await Promise.resolve()
    client.disconnect('gone')
  }
  expect(received).toEqual(['paused', 'paused'])
})

test('delays between tries double up to five seconds', () => {
  expect([0, 1, 2, 3, 4, 5, 20].map(pauseBefore)).toEqual([
    250, 500, 1_000, 2_000, 4_000, 5_000, 5_000,
  ])
})
