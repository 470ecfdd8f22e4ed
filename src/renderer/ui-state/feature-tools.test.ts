import { expect, test, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { createAskedClient } from '../../../test/support/asked-client.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { createData } from '../core-data/data.ts'
import { featureTools } from './feature-tools.ts'
import { NO_CAPABILITIES } from '../../shared/contract/native.ts'

interface Counted {
  readonly count: number
  readonly problem: string | null
}

function start() {
  const store = createStore<{ readonly one: Counted; readonly other: Counted }>(() => ({
    one: { count: 1, problem: null },
    other: { count: 10, problem: null },
  }))
  const notify = vi.fn()
  const data = createData(createAskedClient().client, notify)
  const context = { data, capabilities: NO_CAPABILITIES, notify }
  const { setState: set, getState: get, subscribe } = store
  return { store, tools: featureTools('one', context, { set, get, subscribe }) }
}

test('a feature writes only its own state and reads the others', () => {
  const { store, tools } = start()
  const { other } = store.getState()
  tools.set(({ count }) => ({ count: count + tools.app().other.count }))
  tools.set({ problem: 'No room.' })
  expect(store.getState()).toEqual({
    one: { count: 11, problem: 'No room.' },
    other: { count: 10, problem: null },
  })
  expect(store.getState().other).toBe(other)
  expect(tools.get().count).toBe(11)
})

test('a failed load keeps the previous value and stores the reason; the next success clears it', async () => {
  const { tools } = start()
  const answers: (() => Promise<Partial<Counted>>)[] = [
    () => Promise.resolve({ count: 2 }),
    () => Promise.reject(new Error('The disk is full.')),
    () => Promise.reject(new AppError('DISCONNECTED', 'Gone.')),
    () => Promise.resolve({ count: 3 }),
  ]
  const load = tools.resource(
    () => answers.shift()?.() ?? Promise.reject(new Error('not expected')),
    'problem',
  )
  const seen = []
  for (let times = 0; times < 4; times++) {
    await load()
    seen.push(tools.get())
  }
  expect(seen).toEqual([
    { count: 2, problem: null },
    { count: 2, problem: 'The disk is full.' },
    { count: 2, problem: 'The disk is full.' },
    { count: 3, problem: null },
  ])
})
