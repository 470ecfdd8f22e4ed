import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openAskedWindow } from '../../../test/browser/open-window.ts'
import type { ConnectionState } from '../host/host.ts'
import { newDraft } from '../features/replay/draft.ts'
import { startSync } from './sync.ts'

const kept = new Map<string, string>()
let isFull = false

beforeEach(() => {
  kept.clear()
  isFull = false
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    removeItem: (key: string) => kept.delete(key),
    setItem(key: string, value: string) {
      if (isFull) throw new Error('QuotaExceededError')
      kept.set(key, value)
    },
  })
})

// Test files share a process.
afterEach(() => {
  vi.unstubAllGlobals()
})

const draft = { ...newDraft(null, '@books'), text: '{"amount":12.50}', repeat: '3' }
const typed = {
  ...{ index: 0, text: '{"amount":', made: { amount: 1 }, from: { amount: 1 }, left: false },
  before: { set: {}, unset: [], literals: {} },
}

/** Opens a window in which the user has typed. */
function openTyped() {
  const window = openAskedWindow()
  const { replay, sandbox, flows } = window.state()
  replay.keepDraft('one', draft)
  sandbox.changeTrigger({ event: 'transaction.refund' })
  sandbox.changeTrigger({ fault: 'single-pass', typed })
  flows.changeDraft({ handler: 'books', speed: 60, includesLive: true })
  return window
}

const drafts = () => {
  const { replay, sandbox, flows } = openAskedWindow().state()
  return { composer: replay.drafts, sandbox: sandbox.trigger.draft, flows: flows.draft }
}

test('a reload keeps the drafts of composer and sandbox and the handler of flows, but not that live flows run', () => {
  const before = openTyped().state().sandbox.trigger.draft
  expect(drafts()).toEqual({
    composer: new Map([['one', draft]]),
    sandbox: before,
    flows: expect.objectContaining({ handler: 'books', speed: 60, includesLive: false }),
  })
})

test('a sent or discarded draft stays discarded, and one that the storage has no room for is not an older one', () => {
  openTyped().state().replay.keepDraft('one', null)
  expect(drafts().composer.size).toBe(0)
  isFull = true
  openAskedWindow().state().flows.changeDraft({ handler: 'other' })
  expect(drafts().flows.handler).toBeNull()
})

test('drafts of another version of the app are ignored', () => {
  openTyped()
  for (const [key, value] of kept) kept.set(key, value.replaceAll(/"(target|event|speed)"/g, '"x"'))
  const { composer, sandbox, flows } = drafts()
  expect([composer.size, sandbox.event, flows.handler]).toEqual([0, 'transaction.auth', null])
})

test('signing out discards the drafts', () => {
  const { store, core } = openTyped()
  let tell: (state: ConnectionState) => void = () => undefined
  startSync({
    store,
    host: {
      client: core.client,
      onConnection(listener) {
        tell = listener
        return () => undefined
      },
    },
  })
  tell({ phase: 'over' })
  expect(drafts().composer.size).toBe(0)
})
