import { afterAll, beforeAll, expect, test } from 'vitest'
import { shownEventTypes } from '../../src/shared/service/event-type.ts'
import { signatureOf } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { samplePayloads } from '../support/sample-payloads.ts'
import type { TestCore } from '../support/test-core.ts'
import { until } from '../support/until.ts'

let core: TestCore
let url: string
const hookIds = new Map<string, string>()
const payloadOf = (event: keyof typeof samplePayloads) => JSON.stringify(samplePayloads[event])
const secretOf = (event: string) => `whsec_of_${event}_0123456789`

beforeAll(async () => {
  core = await coreInFolder()
  url = `${core.receiver}/webhooks/cards`
  for (const event of shownEventTypes) {
    const hook = { event, url, secret: secretOf(event) }
    hookIds.set(event, (await core.call('hooks.import', hook)).id)
  }
})
afterAll(() => {
  expect(core.bugs).toEqual([])
})

async function deliver(body: string, secret: string, signedUrl = url) {
  const timestamp = String(Date.now())
  const headers: [string, string][] = [
    ['x-service-signature', signatureOf(secret, body, signedUrl, timestamp)],
    ['x-service-timestamp', timestamp],
  ]
  await core.send(url, { body, headers })
  return (await core.latest()).id
}

/** Resolves with the delivery once its cause is stored. */
function attributed(id: string) {
  const read = () => core.call('deliveries.get', { id })
  return until(core.client, 'deliveries.changed', read, ({ hookId }) => hookId !== null)
}

test.each(['transaction.auth', 'transaction.refund', 'card.linked'] as const)(
  'a mistake with the secret of the %s hook is its own, and the delivery its probable one',
  async (event) => {
    const id = await deliver(payloadOf(event), `"${secretOf(event)}"`)
    const report = await core.call('deliveries.signature', { id })
    expect(report.diagnosis?.causes).toEqual(['secret:quoted'])
    expect(report).toMatchObject({ hookId: hookIds.get(event), hookInferred: true })
    expect(await attributed(id)).toMatchObject({ hookId: hookIds.get(event), verdict: 'invalid' })
  },
)

test('without an explanation, the hook is the one whose event the payload implies', async () => {
  const id = await deliver(payloadOf('card.linked'), 'whsec_unknown')
  expect(await attributed(id)).toMatchObject({ hookId: hookIds.get('card.linked'), cause: null })
})

test('the payload decides between hooks that share a URL and secret', async () => {
  const secret = secretOf('transaction.auth')
  const twin = { event: 'transaction.clearing', url, secret }
  const { id: clearing } = await core.call('hooks.import', twin)
  const of = async (event: 'transaction.auth' | 'transaction.clearing') => {
    const { hookId } = await core.call('deliveries.get', {
      id: await deliver(payloadOf(event), secret),
    })
    return hookId
  }
  expect(await of('transaction.clearing')).toBe(clearing)
  expect(await of('transaction.auth')).toBe(hookIds.get('transaction.auth'))
})
