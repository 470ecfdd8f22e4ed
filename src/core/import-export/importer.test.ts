import { beforeEach, expect, test } from 'vitest'
import { deliveryRow } from '../../../test/support/delivery-row.ts'
import { storeInFolder } from '../../../test/support/in-folder.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import type { Store } from '../store/store.ts'
import { createEventHub } from '../base/event-hub.ts'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { Registry } from '../hooks/registry.ts'
import { Importer } from './importer.ts'
import { ownId } from '../../../test/support/id-of-name.ts'

let folder: string
let store: Store

beforeEach(async () => {
  folder = temporaryFolder()
  store = await storeInFolder(folder)
})

const clock = createManualClock()
let named = 0
const others = {
  hooks: { list: () => [], importShared: () => Promise.resolve() },
  environments: { all: () => [], addShared: () => Promise.resolve() },
  registry: new Registry(),
  clock,
  ids: { next: () => String(named++) },
  bodyLimit: () => 0,
}
const whole = (...lines: string[]) => ({ stream: null, text: lines.join('\n'), ends: true })

const known = {
  pinned: true,
  note: 'kept',
  attempt: 2,
  attemptOf: 'elsewhere',
  answer: { status: 500, ms: 7 },
} as const

function lineOf(id: string): string {
  const { seq: _, ...delivery } = deliveryRow(1, { id: ownId(id), ...known })
  const { bodySha256 } = captureOf('{}').row
  const rest = { httpVersion: '1.1', headers: [], bodySha256, remote: null, replayOf: null }
  return JSON.stringify({
    countersign: 1,
    ...delivery,
    ...rest,
    body: Buffer.from('{}').toString('base64'),
  })
}

test('a stored delivery is complete even if the process ends at that moment', async () => {
  const endsThere = { ...store, settled: () => Promise.reject(new Error('The process ended.')) }
  const importer = new Importer({ store: endsThere, ...others, hub: createEventHub() })
  await expect(importer.add(whole(lineOf('first'), lineOf('second')))).rejects.toThrow(
    'The process ended.',
  )
  expect(await store.read('deliveriesBySeq', [1, 2])).toMatchObject([
    { id: ownId('second'), ...known },
    { id: ownId('first'), ...known },
  ])
})

test('deliveries stored before the disk was full keep their marks and are reported in the order of storing', async () => {
  const reported: number[] = []
  const full: Store = {
    ...store,
    capture: (capture) =>
      capture.row.id === ownId('second')
        ? Promise.reject(new Error('The disk is full.'))
        : store.capture(capture),
  }
  const hub = createEventHub()
  hub.on('delivery.imported', (one) => reported.push(one))
  const importer = new Importer({ store: full, ...others, hub })
  await expect(
    importer.add(whole(lineOf('first'), lineOf('second'), lineOf('third'))),
  ).rejects.toThrow('The disk is full.')
  expect(await Promise.all(reported.map((seq) => store.read('rowsBySeq', [seq])))).toMatchObject([
    [{ id: ownId('first'), ...known }],
    [{ id: ownId('third'), ...known }],
  ])
})

test('lines are read however their text is cut, and a rejected one is reported by its number', async () => {
  const importer = new Importer({ store, ...others, hub: createEventHub() })
  const text = [lineOf('first'), '', 'nonsense', lineOf('second'), lineOf('first')].join('\r\n')
  let stream: string | null = null
  for (let at = 0; at < text.length; at += 7)
    ({ stream } = await importer.add({ stream, text: text.slice(at, at + 7), ends: false }))
  expect((await importer.add({ stream, text: '', ends: true })).outcome).toEqual({
    lines: 5,
    imported: 2,
    known: 1,
    refused: 1,
    problems: [{ line: 3, reason: "The line isn't JSON." }],
    further: [],
  })
})

test('an import ends if it rests too long, or if it rested longest of five', async () => {
  const importer = new Importer({ store, ...others, hub: createEventHub() })
  const begin = async () =>
    (await importer.add({ stream: null, text: '{"body":"AA', ends: false })).stream
  const goOn = (stream: string | undefined) =>
    importer.add({ stream: stream ?? '', text: '', ends: false })
  const begun = [await begin(), await begin(), await begin(), await begin()]
  await goOn(begun[0])
  await begin()
  await goOn(begun[0])
  await expect(goOn(begun[1])).rejects.toThrow('no longer available')
  await clock.advance(600_000)
  await expect(goOn(begun[0])).rejects.toThrow('no longer available')
})
