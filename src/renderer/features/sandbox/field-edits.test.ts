import { expect, test } from 'vitest'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import { objectFieldsOf } from './catalogue.ts'
import { changedValues, shownId, withObject } from './field-edits.ts'
import { changedDraft, newTrigger, type TriggerDraft } from './trigger-draft.ts'

const object = (kind: 'card' | 'location', id: string): SandboxObject => ({
  ...{ kind, id, environment: 'sandbox-test', mode: 'test', title: id },
  data: { id, firstNumbers: '401288', lastNumbers: '1881', scheme: 'visa' },
})
const objects = [object('card', 'c1'), object('card', 'c2'), object('location', 'l1')]
const [card, location] = objectFieldsOf('transaction.auth.qualified')
const payload = { card: { id: 'c1' }, location: { id: 'drawn' } }
const choose = (draft: TriggerDraft, field: typeof card, id: string) =>
  field === undefined ? draft : changedDraft(draft, withObject(field, id, draft, objects))
const shown = (draft: TriggerDraft) =>
  [card, location].map((field) => field && shownId(field, draft, objects, payload))

test('a payment is about the selected location; a card beside it is an edit', () => {
  const drawn = newTrigger()
  expect(shown(drawn)).toEqual(['c1', 'drawn'])
  const ofCard = choose(drawn, card, 'c2')
  expect([ofCard.of, ofCard.set]).toEqual(['c2', {}])
  const ofBoth = choose(ofCard, location, 'l1')
  expect([ofBoth.of, ofBoth.set['card.id'], ofBoth.set['card.lastNumbers']]).toEqual([
    'l1',
    'c2',
    '1881',
  ])
  expect(shown(ofBoth)).toEqual(['c2', 'l1'])
  const withoutLocation = choose(ofBoth, location, '')
  expect([withoutLocation.of, withoutLocation.set]).toEqual(['c2', {}])
  expect(choose(ofBoth, card, '')).toMatchObject({ of: 'l1', set: {} })
})

test('changed values are where the text has them, with what they were, as written', () => {
  const text = '{\n  "amount": 36.90,\n  "card": {"id": "c2"},\n  "new": 1\n}'
  const edit = {
    set: { amount: 36.9, 'card.id': 'c2', new: 1, gone: 2 },
    literals: { amount: '36.90' },
    unset: [],
  }
  expect(changedValues(edit, text, '{"amount":9.46,"card":{"id":"c2"}}')).toEqual([
    { at: text.indexOf('"amount"'), was: '9.46' },
    { at: text.indexOf('"new"'), was: '' },
  ])
})
