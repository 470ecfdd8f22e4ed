import { beforeEach, expect, test } from 'vitest'
import { deliveryRow } from '../../../test/support/delivery-row.ts'
import { storeInFolder } from '../../../test/support/in-folder.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Store } from '../store/store.ts'
import { createEventHub } from '../base/event-hub.ts'
import { createRegistry } from '../hooks/registry.ts'
import { createImporter } from './importer.ts'
import { ownId } from '../../../test/support/own-id.ts'

let folder: string
let store: Store

beforeEach(async () => {
  folder = temporaryFolder()
  store = await storeInFolder(folder)
})

const noHooks = { hooks: { list: () => [] }, registry: createRegistry() }

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
  const importer = createImporter({ store: endsThere, ...noHooks, hub: createEventHub() })
  await expect(importer.import([lineOf('first'), lineOf('second')])).rejects.toThrow(
    'The process ended.',
  )
  expect(await store.read('bySeq', [1, 2])).toMatchObject([
    { id: ownId('second'), ...known },
    { id: ownId('first'), ...known },
  ])
})

test('deliveries stored before the disk was full keep their marks and are reported in the order of storing', async () => {
  const reported: DeliveryRow[] = []
  const full: Store = {
    ...store,
    capture: (capture) =>
      capture.row.id === ownId('second')
        ? Promise.reject(new Error('The disk is full.'))
        : store.capture(capture),
  }
  const hub = createEventHub()
  hub.on('delivery.imported', (one) => reported.push(one))
  const importer = createImporter({ store: full, ...noHooks, hub })
  await expect(
    importer.import([lineOf('first'), lineOf('second'), lineOf('third')]),
  ).rejects.toThrow('The disk is full.')
  expect(reported).toMatchObject([
    { id: ownId('first'), ...known },
    { id: ownId('third'), ...known },
  ])
})
