import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { nodesOf, readJson } from '../../shared/json/tree.ts'
import { payloadSchemas } from '../../shared/service/payload-schemas.ts'
import { checkPayload } from '../../shared/service/payload.ts'
import type { ShownEventType } from '../../shared/service/event-type.ts'
import { samplePayloads } from '../../../test/support/sample-payloads.ts'
import { Placeholders } from './placeholders.ts'
import { shareBody, type Replacement } from './share-body.ts'

const none = { keep: [], replace: [] }

function share(text: string, event: string | null = null, paths = none, shiftMs = 0) {
  const noted: Replacement[] = []
  const tools = {
    placeholders: new Placeholders(Buffer.alloc(32, 5)),
    shiftMs,
    note: (one: Replacement) => noted.push(one),
  }
  const shared = shareBody(Buffer.from(text), event, paths, tools)
  return { text: shared?.toString() ?? null, noted }
}

/** Returns the characters between the values and names of a JSON text. */
function structureOf(text: string): string {
  const root = readJson(text)
  const places = [...nodesOf(root!)].flatMap((node) => [
    ...(node.key === null ? [] : [node.key]),
    ...(node.isContainer || node.kind === 'word' ? [] : [node]),
  ])
  let at = 0
  const parts = places.map(({ start, end }) => {
    const part = `${text.slice(at, start)}${start}-${end}`
    at = end
    return part
  })
  return parts.join('|') + text.slice(at)
}

const spaced = fc
  .tuple(fc.json(), fc.constantFrom(0, 1, '\t'))
  .map(([text, space]) => JSON.stringify(JSON.parse(text), null, space))

property.prop([spaced])(
  'every byte outside of values and names stays, and no value moves',
  (text) => {
    const shared = share(text).text ?? ''
    expect(structureOf(shared)).toBe(structureOf(text))
    expect(Buffer.from(shared)).toHaveLength(Buffer.from(text).length)
  },
)

property.prop([fc.array(fc.constantFrom('Joe', 'Ann', 'x1', '4242', 'é'), { maxLength: 12 })])(
  'equal values and names stay equal, different ones different',
  (names) => {
    const made = JSON.parse(
      share(JSON.stringify({ list: names, again: names })).text ?? '',
    ) as Record<string, string[]>
    const [list = [], again = []] = Object.values(made)
    expect(again).toEqual(list)
    expect(list.map((name) => list.indexOf(name))).toEqual(names.map((name) => names.indexOf(name)))
  },
)

test.each(Object.entries(samplePayloads))(
  '%s keeps its schema and all that is not personal',
  (event, payload) => {
    const text = JSON.stringify(payload, null, 2)
    const { text: shared, noted } = share(text, event)
    const shown = event as ShownEventType
    expect(checkPayload(shown, Buffer.from(shared ?? ''))).toEqual(
      checkPayload(shown, Buffer.from(text)),
    )
    expect(noted.filter(({ kind }) => kind === 'unknown' || kind === 'key')).toEqual(
      noted
        .filter(({ where }) => where().includes('metadata'))
        .filter(({ kind }) => kind === 'key'),
    )
    expect(Object.keys(payloadSchemas)).toContain(event)
  },
)

test('escapes, spelling of numbers and duplicate names stay', () => {
  const text = String.raw`{ "a\u00E9":"caf\u00e9 \/ \"x\"","n":[-1.50,1E+2,0.00], "n":12 }`
  const { text: shared } = share(text)
  expect(shared).toMatch(
    /^\{ "[a-z]\\u00[EF][\dA-F]":"[a-z]{3}\\u00[ef][\da-f] \\\/ \\"[a-z]\\"","([a-z])":\[-[1-9]\.[1-9]0,[1-9]E\+2,0\.00\], "\1":[1-9]{2} \}$/,
  )
})

const transaction = JSON.stringify(samplePayloads['transaction.auth'])

test('paths are kept or replaced, and a replaced one wins', () => {
  const { amount, card } = JSON.parse(transaction) as {
    amount: number
    card: { firstNumbers: string }
  }
  const parsed = (paths: typeof none) =>
    JSON.parse(
      share(transaction, 'transaction.auth', paths as never).text ?? '',
    ) as (typeof samplePayloads)['transaction.auth']
  expect(parsed({ keep: ['card.firstNumbers'], replace: ['amount'] } as never)).not.toMatchObject({
    amount,
  })
  expect(parsed({ keep: ['card'], replace: [] } as never)).toMatchObject({ amount, card })
  expect(parsed({ keep: ['card'], replace: ['card.*'] } as never).card).not.toMatchObject(card)
})

test('a value that is not what the schema says is replaced', () => {
  const odd = {
    ...(JSON.parse(transaction) as object),
    amount: 'Joe',
    currency: 'Joe Bloggs',
    auth: 'Joe',
  }
  expect(share(JSON.stringify(odd), 'transaction.auth').text).not.toContain('Joe')
})

test('times move together, except the end of a card', () => {
  const card = JSON.stringify(samplePayloads['card.linked'])
  const [before, after] = [card, share(card, 'card.linked', none, 86_400_000).text ?? ''].map(
    (text) => JSON.parse(text) as { created: string; expDate: string },
  )
  expect(Date.parse(after!.created) - Date.parse(before!.created)).toBe(86_400_000)
  expect(after!.expDate).toBe(before!.expDate)
})

test.each(['', '{', 'a=1', '"\ud800', '{"a":1}x'])(
  '%j is not JSON, so it is not shared',
  (text) => {
    expect(share(text).text).toBe(null)
  },
)
