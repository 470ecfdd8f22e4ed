import { expect, onTestFinished, test, vi } from 'vitest'
import { createSystemClock } from '../../src/core/base/system-clock.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { until } from '../support/until.ts'

test('after a sleep the receiver receives and a pending attempt is made at once', async () => {
  let asleep = 0
  const clock = createSystemClock(
    () => Date.now() + asleep,
    () => performance.now() + asleep,
  )
  const first = await coreInFolder({ deps: { clock } })
  const { call } = first

  // The sandbox's first attempt is refused, so that the next is due in a minute.
  await call('receiver.pause', {})
  await call('sandbox.sample', {})
  await call('receiver.resume', {})
  expect(await call('deliveries.list', {})).toEqual({ items: [] })

  asleep += 38 * 60_000
  first.core.resumed()

  const items = async () => (await call('deliveries.list', {})).items
  const arrived = await until(
    first.client,
    'deliveries.changed',
    items,
    ([one]) => one?.answer.status === 200,
  )
  expect(arrived).toMatchObject([{ verdict: 'valid' }])
  expect(
    (await first.send(`${first.receiver}/h/after`, { body: '{}', headers: [] })).status,
  ).not.toBe(503)
  expect(first.bugs).toEqual([])
})

test('a host that hears nothing of a sleep notices it: due attempts are made', async () => {
  let asleep = 0
  const clock = createSystemClock(
    () => Date.now() + asleep,
    () => performance.now() + asleep,
  )
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  await coreInFolder({ deps: { clock } })
  const due = clock.sleep(60_000)
  asleep += 38 * 60_000
  vi.advanceTimersByTime(5_000)
  await expect(due).resolves.toBeUndefined()
})
