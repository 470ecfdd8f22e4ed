import { expect, test } from 'vitest'
import { openAskedWindow } from '../../../../test/browser/open-window.ts'
import { replayWith } from '../../../../test/support/model-values.ts'
import { REPLAYS } from '../../core-data/events.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { TOUR_LENGTH } from './tour-slice.ts'
import { tourSteps } from './tour-steps.ts'

function start() {
  const window = openAskedWindow()
  const { tour } = window.state()
  return { ...window, tour, progress: () => window.state().preferences.tour }
}

test('the tour starts at step one, resumes where you left, and restarts once finished', () => {
  const { tour, progress, notify } = start()
  tour.begin()
  expect(progress()).toEqual({ step: 0, shown: true })
  tour.goTo(2)
  expect(tour.leave()).toBe(true)
  expect(progress()).toEqual({ step: 2, shown: false })
  expect(notify).toHaveBeenCalledWith(expect.objectContaining({ title: 'You left the quick tour' }))
  expect(tour.leave()).toBe(false)
  tour.begin()
  expect(progress()).toEqual({ step: 2, shown: true })
  expect(tourSteps).toHaveLength(TOUR_LENGTH)
  tour.goTo(TOUR_LENGTH)
  expect(progress()).toEqual({ step: TOUR_LENGTH, shown: false })
  tour.begin()
  expect(progress()).toEqual({ step: 0, shown: true })
})

test('the changed delivery is sent here, and opened once its replay has ended; an older invalid one is not', async () => {
  const { core, data, know, tour, state, store } = start()
  know('replay.list', REPLAYS, { replays: [] })
  const receiver = { url: 'https://127.0.0.1:4783' }
  store.setState(({ core: known }) => ({ core: { ...known, status: { receiver } as never } }))
  const sent = tour.sendAltered()
  await core.answer('deliveries.page', { rows: [deliveryRow(1, { path: '/h/one' })] })
  await core.answer('deliveries.page', { rows: [deliveryRow(5)] })
  const { input, answer } = core.next('replay.start')
  expect(input).toMatchObject({
    ids: ['id-1'],
    to: 'https://127.0.0.1:4783/h/one',
    tamper: 'body',
  })
  const replay = replayWith({ id: 'replay', state: 'running', tamper: 'body' })
  await answer({ replay })
  expect([core.asked, state().tour.busy]).toEqual([[], true])
  data.patch('replay.list', REPLAYS, () => ({ replays: [{ ...replay, state: 'done' }] }))
  await expect.poll(() => core.asked).toHaveLength(1)
  const invalid = [6, 4].map((seq) => deliveryRow(seq, { verdict: 'invalid' }))
  await core.answer('deliveries.page', { rows: invalid })
  await sent
  expect([state().navigation.at.deliveries, state().tour.busy]).toEqual([
    { id: 'id-6', tab: 'signature' },
    false,
  ])
})

test('without a valid delivery, nothing is sent and the tour says what to do', async () => {
  const { core, tour, notify } = start()
  const sent = tour.sendAltered()
  await core.answer('deliveries.page', { rows: [] })
  await sent
  expect(core.asked).toEqual([])
  expect(notify).toHaveBeenCalledWith({
    tone: 'bad',
    title: "Couldn't send the changed delivery",
    message: 'No valid delivery found. Send a sample first.',
  })
})
