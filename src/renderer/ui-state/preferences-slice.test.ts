import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openWindow } from '../../../test/browser/open-window.ts'
import { createAnsweredClient } from '../../../test/support/asked-client.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { DEFAULT_SETTINGS, type WindowSettings } from '../../shared/model/settings.ts'

let sent: unknown[]
let rejects: boolean

beforeEach(() => {
  vi.stubGlobal('location', { hash: '' })
  sent = []
  rejects = false
})

// Test files share a process.
afterEach(() => {
  vi.unstubAllGlobals()
})

function start() {
  const { client } = createAnsweredClient((_, input) => {
    if (rejects) throw new AppError('STORE_UNAVAILABLE', 'The disk is full.')
    sent.push(input)
    return DEFAULT_SETTINGS
  })
  const { know, notify, state } = openWindow(client)
  const announce = (window: WindowSettings) =>
    know('settings.get', {}, { ...DEFAULT_SETTINGS, window })
  return { notify, announce, preferences: () => state().preferences }
}

test('theme, wrapping and single keys are stored as settings; the rest only in the window', async () => {
  const { preferences } = start()
  preferences().set('theme', 'dark')
  preferences().set('singleKeys', false)
  preferences().set('recent', ['newest'])
  await expect
    .poll(() => sent)
    .toEqual([{ window: { theme: 'dark' } }, { window: { singleKeys: false } }])
})

test('a setting changed elsewhere applies at once; one never chosen stays as this window has it', () => {
  const { announce, preferences } = start()
  announce({ wrap: false })
  expect(preferences()).toMatchObject({ theme: 'system', wrap: false })
})

test('a rejected change is reverted, with the reason', async () => {
  const { announce, notify, preferences } = start()
  announce({ theme: 'light' })
  rejects = true
  preferences().set('theme', 'dark')
  expect(preferences().theme).toBe('dark')
  await expect.poll(() => preferences().theme).toBe('light')
  expect(notify).toHaveBeenCalledWith(
    expect.objectContaining({ tone: 'bad', message: 'The disk is full.' }),
  )
})
