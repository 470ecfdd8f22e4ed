import { expect, test } from 'vitest'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import {
  changedDraft,
  editsOf,
  newTrigger,
  placeOf,
  problemsOf,
  seedOf,
  subjectId,
  triggerInput,
  editOfTyped,
} from './trigger-draft.ts'

const emptyDraft = { ...newTrigger(), drawn: 7 }

function transaction(id: string, data: Record<string, unknown> = {}): SandboxObject {
  const shown = { id, programId: 'p', auth: true, cleared: false, amount: 5, ...data }
  return {
    kind: 'transaction',
    id,
    environment: 'sandbox-test',
    mode: 'test',
    title: id,
    data: shown,
  }
}

const objects = [
  transaction('old'),
  transaction('new'),
  transaction('settled', { cleared: true }),
  transaction('other', { programId: 'q' }),
]

test('an empty draft sends only the event, the environment and its seed', () => {
  expect(triggerInput(emptyDraft, 'sandbox-test', objects)).toEqual({
    event: 'transaction.auth',
    environment: 'sandbox-test',
    seed: 7,
  })
  expect(editsOf(emptyDraft)).toBeNull()
  expect(newTrigger().drawn).not.toBe(newTrigger().drawn)
})

test('an entered seed overrides the random one, and an invalid one prevents sending', () => {
  expect([' 12 ', '', 'x', '1.5'].map((seed) => seedOf({ seed, drawn: 7 }))).toEqual([
    12,
    7,
    undefined,
    undefined,
  ])
  expect(triggerInput({ ...emptyDraft, seed: '1.5' }, 'sandbox-test', [])).toBeNull()
})

const made = { amount: 4.2, card: { id: 'c', scheme: 'visa' }, wallet: null }
const typed = (text: string) => ({
  index: 0,
  text,
  made,
  from: made,
  before: emptyDraft,
  left: false,
})

test('a typed payload sets and removes the fields that differ from the generated ones, with numbers as typed', () => {
  const text = '{"amount": 10.00, "card": {"id": "c"}, "wallet": "phone"}'
  const draft = { ...emptyDraft, ...editOfTyped(typed(text)) }
  expect(editsOf(draft)).toEqual({
    set: { wallet: 'phone' },
    literals: { amount: '10.00' },
    unset: ['card.scheme'],
  })
  expect(problemsOf(draft.typed)).toEqual([])
  expect(editsOf({ ...draft, ...editOfTyped(typed(JSON.stringify(made))) })).toBeNull()
})

test('typing over an edited payload keeps the edits before it, and no time that differs between previews', () => {
  const before = { set: { amount: 1 }, unset: ['card'], literals: {} }
  const from = { amount: 1, wallet: null, created: 'later' }
  const at = { index: 0, made: { ...made, created: 'earlier' }, from, before, left: false }
  const edit = (value: unknown) => {
    const { set, unset } = editOfTyped({ ...at, text: JSON.stringify(value) })
    return { set, unset }
  }
  expect(edit({ ...from, wallet: 'phone' })).toEqual({
    set: { amount: 1, wallet: 'phone' },
    unset: ['card'],
  })
  expect(edit({ ...from, card: { id: 'd', scheme: 'visa' }, amount: 4.2 })).toEqual({
    set: { 'card.id': 'd' },
    unset: [],
  })
})

test("a payload that can't be sent keeps the edits before it, and says what is wrong where", () => {
  const before = { ...emptyDraft, set: { amount: 1 } }
  for (const [text, at] of [
    ['{"amount": maybe}', 11],
    ['{"amount": 4.2, "card": {"a.b": 1}}', 16],
  ] as const) {
    const draft = { ...before, ...editOfTyped(typed(text)) }
    expect(draft.set).toEqual({ amount: 1 })
    expect(problemsOf(draft.typed)[0]?.at).toBe(at)
  }
  expect(placeOf('{"card": {}}', 'card.scheme')).toBe(1)
  expect(placeOf('{}', 'card')).toBeNull()
})

test('a clearing uses the latest pending payment by default', () => {
  const clearing = { ...emptyDraft, event: 'transaction.clearing' } as const
  expect(subjectId(clearing, objects)).toBe('other')
  expect(subjectId({ ...clearing, programId: 'p' }, objects)).toBe('new')
  expect(subjectId({ ...clearing, of: '' }, objects)).toBe('')
  expect(subjectId({ ...clearing, of: 'old' }, objects)).toBe('old')
  expect(subjectId({ ...emptyDraft, event: 'transaction.refund' }, objects)).toBe('')
})

test('changing the event resets the selection and edits; changing the program resets only the object', () => {
  const draft = { ...emptyDraft, of: 'x', set: { amount: 1 }, unset: ['card'] }
  expect(changedDraft(draft, { event: 'card.linked' })).toMatchObject({
    of: null,
    set: {},
    unset: [],
  })
  expect(changedDraft(draft, { programId: 'p' })).toMatchObject({
    of: null,
    set: { amount: 1 },
    unset: ['card'],
  })
  expect(changedDraft(draft, { fault: 'stale' })).toMatchObject({ of: 'x', set: { amount: 1 } })
  // A typed text belongs to the payload it was typed over; its edits stay.
  const edited = { ...draft, typed: typed('{}') }
  expect(changedDraft(edited, { drawn: 8 })).toMatchObject({ typed: null, set: { amount: 1 } })
  expect(changedDraft(edited, { fault: '' }).typed).not.toBeNull()
})
