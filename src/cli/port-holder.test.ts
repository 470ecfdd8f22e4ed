import { realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { findPortHolder, listeningInodes } from './port-holder.ts'
import { listen } from '../../test/support/listen.ts'

test('only listening sockets on exactly this port count', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:12AC 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 100 0 0 10 0',
    '   1: 0100007F:12AC 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000000000000000 20 4 30 10 -1',
    '   2: 0100007F:12AD 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0000000000000000 100 0 0 10 0',
    '   3: 00000000000000000000000001000000:12AC 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4714 1 0 100 0 0 10 0',
    '',
  ].join('\n')
  expect(listeningInodes(table, 4780)).toEqual(['4711', '4714'])
  expect(listeningInodes(table, 4782)).toEqual([])
})

test.skipIf(process.platform !== 'linux')(
  'finds the listening process by its name, without arguments',
  async () => {
    const listening = createServer()
    const port = await listen(listening)
    const holder = await findPortHolder(port)
    await new Promise((resolve) => listening.close(resolve))
    expect(holder?.pid).toBe(process.pid)
    expect(holder?.name).toBe(basename(realpathSync(process.execPath)))
  },
)

test.skipIf(process.platform !== 'linux')('finds nothing on a free port', async () => {
  const listening = createServer()
  const port = await listen(listening)
  await new Promise((resolve) => listening.close(resolve))
  expect(await findPortHolder(port)).toBeNull()
})
