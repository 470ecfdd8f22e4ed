/** The computer sleeps while Countersign runs: afterwards it receives, makes pending attempts, and stores the gap. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { createSystemClock } from '../../src/core/base/system-clock.ts'
import type { Gap } from '../../src/shared/model/status.ts'
import { createDeliverer } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('after a sleep the receiver receives, a pending attempt is made at once, and the gap survives a restart', async () => {
  const dataFolder = temporaryFolder()
  let asleep = 0
  const clock = createSystemClock(
    () => Date.now() + asleep,
    () => performance.now() + asleep,
  )
  const first = await coreInFolder({ dataFolder, deps: { clock } })
  const { call } = first.client
  const told: (readonly Gap[])[] = []
  first.client.on('gaps.changed', ({ gaps }) => told.push(gaps))

  // The sandbox's first attempt is refused, so that the next is due in a minute.
  await call('receiver.pause', {})
  await call('sandbox.sample', {})
  await call('receiver.resume', {})
  expect(await call('deliveries.list', {})).toEqual({ items: [] })

  first.core.suspended()
  const from = clock.now()
  asleep += 38 * 60_000
  await first.core.resumed()

  await expect
    .poll(async () => (await call('deliveries.list', {})).items)
    .toMatchObject([{ verdict: 'valid', answer: { status: 200 } }])
  const { gaps } = await call('receiver.gaps', {})
  expect(gaps).toEqual([
    {
      from: expect.any(String) as string,
      to: expect.any(String) as string,
      afterSeq: 0,
      announced: true,
    },
  ])
  const [gap] = gaps
  expect(Math.abs(Date.parse(gap?.from ?? '') - from)).toBeLessThan(60_000)
  expect(Date.parse(gap?.to ?? '') - Date.parse(gap?.from ?? '')).toBeGreaterThanOrEqual(
    38 * 60_000,
  )
  expect(told).toEqual([gaps])

  const deliverer = createDeliverer(first.caFile)
  expect(
    (await deliverer.send(`${first.receiver}/h/after`, { body: '{}', headers: [] })).status,
  ).not.toBe(503)
  deliverer.close()
  expect(first.bugs).toEqual([])
  await first.stop()

  const second = await coreInFolder({ dataFolder })
  expect(await second.client.call('receiver.gaps', {})).toEqual({ gaps })
  // Some systems announce that they woke up without having slept.
  await second.core.resumed()
  expect(await second.client.call('receiver.gaps', {})).toEqual({ gaps })
})

test('a host that hears nothing of a sleep notices it: due attempts are made, and the gap is stored', async () => {
  let asleep = 0
  const clock = createSystemClock(
    () => Date.now() + asleep,
    () => performance.now() + asleep,
  )
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { client } = await coreInFolder({ deps: { clock } })
  const due = clock.sleep(60_000)
  asleep += 38 * 60_000
  vi.advanceTimersByTime(5_000)
  await due
  await expect
    .poll(async () => (await client.call('receiver.gaps', {})).gaps)
    .toMatchObject([{ announced: false }])
})
