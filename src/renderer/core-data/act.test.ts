import { expect, test } from 'vitest'
import { AppError } from '../../shared/contract/errors.ts'
import { createAct } from './act.ts'
import type { Notice } from './act.ts'

function acting() {
  const notices: Notice[] = []
  const progress: boolean[] = []
  const act = createAct((notice) => notices.push(notice))
  return { act, notices, progress, busy: (busy: boolean) => void progress.push(busy) }
}

test.each(['DISCONNECTED', 'CANCELLED'] as const)(
  'an action that ends with %s shows nothing',
  async (code) => {
    const { act, notices, progress, busy } = acting()
    await act("Couldn't save", () => Promise.reject(new AppError(code, 'Gone.')), { busy })
    expect(progress).toEqual([true, false])
    expect(notices).toEqual([])
  },
)

test('a superseded action shows nothing and returns nothing', async () => {
  const { act, notices } = acting()
  const isWanted = () => false
  expect(
    await act("Couldn't read", () => Promise.resolve(3), {
      isWanted,
      done: () => ({ tone: 'ok', title: 'Read' }),
    }),
  ).toBeUndefined()
  await act("Couldn't read", () => Promise.reject(new Error('It is gone.')), { isWanted })
  expect(notices).toEqual([])
})
