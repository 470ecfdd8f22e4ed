import { expect, test } from 'vitest'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { walkStations } from '../../../shared/model/first-walk.ts'
import type { AppStatus } from '../../../shared/model/status.ts'
import { momentOf, stationAfter, stations, troubleOf, type TourFacts } from './stations.ts'

const nothing: TourFacts = {
  hooksReady: false,
  hookId: null,
  auth: null,
  altered: null,
  clearing: null,
  seen: [],
  othersWait: 0,
}
const auth = deliveryRow(1, { event: 'transaction.auth' })
const altered = deliveryRow(2, { event: 'transaction.auth', verdict: 'invalid' })
const clearing = deliveryRow(3, { event: 'transaction.clearing' })

/** Everything that happens in a tour, in order. */
const story: readonly (Partial<TourFacts> & { readonly seen?: readonly string[] })[] = [
  {},
  { hooksReady: true, hookId: 'h' },
  { auth },
  { seen: [auth.id] },
  { altered },
  { seen: [auth.id, altered.id] },
  { clearing },
  { seen: [auth.id, altered.id, 'purchase'] },
]

/** The facts after the given number of events. */
function after(events: number): TourFacts {
  return story
    .slice(0, events + 1)
    .reduce<TourFacts>((facts, change) => ({ ...facts, ...change }), nothing)
}

test.each([
  ['picture', 0, null],
  ['hook', 0, 'register'],
  ['hook', 1, null],
  ['payment', 1, 'pay'],
  ['payment', 2, 'open-auth'],
  ['payment', 3, null],
  ['signature', 3, 'alter'],
  ['signature', 4, 'open-altered'],
  ['signature', 5, null],
  ['clearing', 5, 'leap'],
  ['clearing', 6, 'open-purchase'],
  ['clearing', 7, null],
  ['next', 7, null],
] as const)('at %s after %i events, the step is %s', (station, events, act) => {
  expect(momentOf(station, after(events)).step?.act ?? null).toBe(act)
})

test.each(['payment', 'signature', 'clearing'] as const)(
  'skipping to %s starts with what it needs',
  (station) => {
    expect(momentOf(station, nothing).step?.act).toBe('register')
    expect(momentOf(station, after(1)).step?.act).toBe('pay')
  },
)

test("the clock isn't advanced if anything else depends on it", () => {
  const alone = momentOf('clearing', after(5))
  const shared = momentOf('clearing', { ...after(5), othersWait: 1 })
  expect([alone.label, shared.label]).toEqual(['Advance to the clearing', 'Send clearing now'])
  expect(shared).toMatchObject({ step: { act: 'leap' }, target: null })
})

test('a delivery deleted meanwhile is requested again', () => {
  expect(momentOf('signature', { ...after(7), auth: null }).step?.act).toBe('pay')
  expect(momentOf('clearing', { ...after(7), clearing: null }).step?.act).toBe('leap')
})

test('a step is done once and stays done', () => {
  const steps = walkStations.flatMap((name) => stations[name].steps)
  for (const step of steps) {
    const states = story.map((_, events) => step.done(after(events)))
    expect(states, step.act).toContain(true)
    expect(states.indexOf(true), step.act).toBeGreaterThan(0)
    expect(states.slice(states.indexOf(true)), step.act).not.toContain(false)
  }
})

test('stations follow one another, and the first and last have no further ones', () => {
  expect(walkStations.map((name) => stationAfter(name, 1))).toEqual([
    ...walkStations.slice(1),
    'next',
  ])
  expect(walkStations.map((name) => stationAfter(name, -1))).toEqual([
    'picture',
    ...walkStations.slice(0, -1),
  ])
})

const receiver = {
  state: 'listening',
  url: 'https://127.0.0.1:1',
  publicUrl: null,
  httpUrl: null,
  problem: null,
} as const
const store: AppStatus['store'] = {
  state: 'ok',
  problem: null,
  deliveries: 0,
  bytes: 0,
  search: { state: 'ready', left: 0 },
}
const well = {
  status: { receiver, sandbox: 'https://127.0.0.1:2', store },
  connected: true,
  hookMoved: false,
}

test.each([
  ['nothing', {}, null, null],
  ['a lost connection', { connected: false }, "The window isn't connected.", null],
  [
    'a paused receiver',
    { status: { ...well.status, receiver: { ...receiver, state: 'paused' } } },
    'Capture paused.',
    'resume',
  ],
  [
    'a port in use',
    {
      status: {
        ...well.status,
        receiver: { ...receiver, state: 'failed', url: null, problem: 'Port 4783 is taken.' },
      },
    },
    "The receiver isn't listening.",
    null,
  ],
  ['no sandbox', { status: { ...well.status, sandbox: null } }, "The sandbox isn't running.", null],
  [
    'a full disk',
    { status: { ...well.status, store: { ...store, state: 'failing', problem: 'Full.' } } },
    "Deliveries can't be stored.",
    null,
  ],
  ['a receiver on another port', { hookMoved: true }, "The receiver's URL changed.", 'register'],
] as const)('%s is explained, with what to do', (_, change, title, act) => {
  const trouble = troubleOf('payment', { ...well, ...change })
  expect(trouble?.title ?? null).toBe(title)
  expect(trouble?.act ?? null).toBe(act)
  expect(troubleOf('picture', { ...well, ...change })).toBeNull()
})

test('the reason of a failed receiver is shown in full', () => {
  const failed = {
    ...receiver,
    state: 'failed',
    url: null,
    problem: 'Port 4783 is taken by node (process 77).',
  } as const
  expect(
    troubleOf('hook', { ...well, status: { ...well.status, receiver: failed } })?.message,
  ).toContain('process 77')
})
