import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BLANK_DELIVERY, type DeliveryRow } from '../shared/model/delivery.ts'
import type { ForwardTarget } from '../shared/model/forward.ts'
import { desktopSettingsSchema, type DesktopSettings } from '../shared/model/settings.ts'
import { createNotices, type DesktopNotice, type Notices } from './notices.ts'

const everything: DesktopSettings = {
  ...desktopSettingsSchema.parse({}),
  notifyInvalid: true,
  notifyHandler: true,
  notifyFlow: true,
}
let settings: DesktopSettings
let inFront: boolean
let shown: DesktopNotice[]
let notices: Notices

beforeEach(() => {
  vi.useFakeTimers()
  settings = everything
  inFront = false
  shown = []
  notices = createNotices({
    settings: () => settings,
    isInFront: () => inFront,
    show: (notice) => shown.push(notice),
  })
})
afterEach(() => {
  vi.useRealTimers()
})

const row = (change: Partial<DeliveryRow>): DeliveryRow => ({ ...BLANK_DELIVERY, ...change })
const deliver = (...rows: DeliveryRow[]) => {
  notices.delivered({ added: rows, skipped: 0, updated: [], total: rows.length })
}
const invalid = row({ id: 'd1', event: 'transaction.auth', verdict: 'invalid' })
const target = (light: ForwardTarget['light'], problem: string | null = null) =>
  ({ id: 't', name: 'Shop', url: 'http://127.0.0.1:3000', light, problem }) as ForwardTarget
const forward = (...targets: ForwardTarget[]) => {
  notices.forwarded({ targets })
}
const flowRun = (change: object) => ({
  run: {
    id: 'r',
    state: 'done',
    outcome: 'fail',
    title: 'Refund',
    summary: '1 of 7 steps failed.',
    ...change,
  },
})
const endFlow = (change: object = {}) => {
  notices.flowChanged(flowRun(change) as Parameters<Notices['flowChanged']>[0])
}

test('every kind is off at first', () => {
  settings = desktopSettingsSchema.parse({})
  deliver(invalid)
  forward(target('down'))
  endFlow()
  expect(shown).toEqual([])
})

test('a notification names the event of an invalid signature, and a click opens the delivery', () => {
  deliver(row({ verdict: 'valid' }), invalid, row({ verdict: 'invalid', origin: 'imported' }))
  expect(shown).toEqual([
    {
      title: 'Invalid signature',
      body: "transaction.auth arrived with a signature that doesn't match its hook's secret.",
      opens: { deliveryId: 'd1' },
    },
  ])
})

test('nothing is shown while the window is in front', () => {
  inFront = true
  deliver(invalid)
  forward(target('down'))
  endFlow()
  inFront = false
  vi.advanceTimersByTime(60_000)
  expect(shown).toEqual([])
})

test('more of a kind within half a minute are counted in one notification', () => {
  deliver(invalid)
  for (let left = 12; left > 0; left--) deliver(invalid)
  expect(shown).toHaveLength(1)
  vi.advanceTimersByTime(30_000)
  expect(shown[1]).toEqual({
    title: 'Invalid signatures',
    body: '12 deliveries with an invalid signature.',
    opens: { action: 'go-deliveries' },
  })
  vi.advanceTimersByTime(120_000)
  expect(shown).toHaveLength(2)
})

test('a handler that begins to fail is shown once, and again after it worked', () => {
  forward(target('up'))
  forward(target('down', 'Connection refused.'))
  forward(target('down', 'Connection refused.'))
  forward(target('failing', 'Returned 500.'))
  expect(shown).toEqual([
    {
      title: 'Handler not responding',
      body: 'Shop: Connection refused.',
      opens: { action: 'go-forward' },
    },
  ])
  forward(target('up'))
  vi.advanceTimersByTime(30_000)
  forward(target('failing', 'Returned 500.'))
  expect(shown[1]).toMatchObject({ title: 'Handler failing', body: 'Shop: Returned 500.' })
})

test('a failed flow is shown once; one that passes, is cancelled or still runs is not', () => {
  endFlow({ state: 'running', outcome: null })
  endFlow({ id: 'p', outcome: 'pass' })
  endFlow({ id: 'c', state: 'cancelled', outcome: null })
  endFlow()
  endFlow()
  vi.advanceTimersByTime(60_000)
  expect(shown).toEqual([
    { title: 'Flow failed: Refund', body: '1 of 7 steps failed.', opens: { action: 'go-flows' } },
  ])
})
