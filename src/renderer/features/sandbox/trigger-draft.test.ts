import { expect, test } from 'vitest'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import { changedDraft, emptyDraft, triggerInput, subjectId, typedSeed } from './trigger-draft.ts'

function transaction(id: string, data: Record<string, unknown> = {}): SandboxObject {
  const shown = { id, programId: 'p', auth: true, cleared: false, amount: 5, ...data }
  return { kind: 'transaction', id, environment: 'sandbox-test', mode: 'test', title: id, data: shown }
}

const objects = [
  transaction('old'),
  transaction('new'),
  transaction('settled', { cleared: true }),
  transaction('other', { programId: 'q' }),
]

test('nothing but the event and the environment is sent of a draft that nothing was chosen in', () => {
  expect(triggerInput(emptyDraft, 'sandbox-test', objects)).toEqual({ event: 'transaction.auth', environment: 'sandbox-test' })
})

test('a typed seed goes before the drawn one, and one that is no number stops it', () => {
  expect(triggerInput({ ...emptyDraft, drawn: 7 }, 'sandbox-test', [])).toMatchObject({ seed: 7 })
  expect(triggerInput({ ...emptyDraft, drawn: 7, seed: ' 12 ' }, 'sandbox-test', [])).toMatchObject({ seed: 12 })
  expect(triggerInput({ ...emptyDraft, seed: '1.5' }, 'sandbox-test', [])).toBeNull()
  expect([typedSeed({ seed: '' }), typedSeed({ seed: 'x' })]).toEqual([null, undefined])
})

test('a clearing is of the newest payment that waits for one, unless something else is chosen', () => {
  const clearing = { ...emptyDraft, event: 'transaction.clearing' } as const
  expect(subjectId(clearing, objects)).toBe('other')
  expect(subjectId({ ...clearing, programId: 'p' }, objects)).toBe('new')
  expect(subjectId({ ...clearing, of: '' }, objects)).toBe('')
  expect(subjectId({ ...clearing, of: 'old' }, objects)).toBe('old')
  expect(subjectId({ ...emptyDraft, event: 'transaction.refund' }, objects)).toBe('')
})

test('another event drops what was chosen and set for the one before, another program only what it is about', () => {
  const draft = { ...emptyDraft, of: 'x', set: { amount: 1 }, unset: ['card'] }
  expect(changedDraft(draft, { event: 'card.linked' })).toMatchObject({ of: null, set: {}, unset: [] })
  expect(changedDraft(draft, { programId: 'p' })).toMatchObject({ of: null, set: { amount: 1 }, unset: ['card'] })
  expect(changedDraft(draft, { fault: 'stale' })).toMatchObject({ of: 'x', set: { amount: 1 } })
})
