import { expect, test } from 'vitest'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import { changedDraft, emptyDraft, triggerInput, subjectId, typedSeed } from './trigger-draft.ts'

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

test('an empty draft sends only the event and the environment', () => {
  expect(triggerInput(emptyDraft, 'sandbox-test', objects)).toEqual({
    event: 'transaction.auth',
    environment: 'sandbox-test',
  })
})

test('an entered seed overrides the random one, and an invalid one prevents sending', () => {
  expect(triggerInput({ ...emptyDraft, drawn: 7 }, 'sandbox-test', [])).toMatchObject({ seed: 7 })
  expect(triggerInput({ ...emptyDraft, drawn: 7, seed: ' 12 ' }, 'sandbox-test', [])).toMatchObject(
    { seed: 12 },
  )
  expect(triggerInput({ ...emptyDraft, seed: '1.5' }, 'sandbox-test', [])).toBeNull()
  expect([typedSeed({ seed: '' }), typedSeed({ seed: 'x' })]).toEqual([null, undefined])
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
})
