import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAnsweredClient } from '../../../test/support/asked-client.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { NO_CAPABILITIES } from '../../shared/contract/native.ts'
import { DEFAULT_SETTINGS, type WindowSettings } from '../../shared/model/settings.ts'
import { applyKeys, keysOf } from './key-map.ts'
import { createStore } from './store.ts'

let sent: unknown[]
let rejects: boolean

beforeEach(() => {
  vi.stubGlobal('location', { hash: '' })
  sent = []
  rejects = false
})

// Test files share a process.
afterEach(() => {
  applyKeys({})
  vi.unstubAllGlobals()
})

function start() {
  const notify = vi.fn()
  const { client } = createAnsweredClient((_, input) => {
    if (rejects) throw new AppError('INVALID_INPUT', '"Pin" already uses Mod+j.')
    sent.push(input)
    return DEFAULT_SETTINGS
  })
  const { getState } = createStore({ client, capabilities: NO_CAPABILITIES, notify })
  const announce = (window: WindowSettings) => {
    getState().core.setSettings({ ...DEFAULT_SETTINGS, window })
    getState().preferences.adopt(window)
  }
  return { getState, notify, announce, preferences: () => getState().preferences }
}

test('theme, wrapping and keys are stored as settings; the columns only in the window', async () => {
  const { preferences } = start()
  preferences().set('theme', 'dark')
  preferences().set('keys', { palette: 'Mod+j', pin: '' })
  preferences().set('keys', { pin: '' })
  preferences().set('tour', { step: 1, shown: true })
  await vi.waitFor(() => {
    expect(sent).toEqual([
      { window: { theme: 'dark' } },
      { window: { keys: { palette: 'Mod+j', pin: '' } } },
      { window: { keys: { palette: null, pin: '' } } },
    ])
  })
})

test('a setting changed elsewhere applies at once; one never chosen stays as this window has it', () => {
  const { announce, preferences } = start()
  announce({ wrap: false, keys: { palette: 'Mod+j', 'of-another-version': 'x' } })
  expect(preferences()).toMatchObject({
    theme: 'system',
    wrap: false,
    keys: { palette: 'Mod+j' },
  })
  expect(keysOf('palette')).toBe('Mod+j')
})

test('a rejected key is reverted, with the reason', async () => {
  const { announce, notify, preferences } = start()
  announce({ keys: {} })
  rejects = true
  preferences().set('keys', { palette: 'Mod+j' })
  expect(keysOf('palette')).toBe('Mod+j')
  await vi.waitFor(() => {
    expect(keysOf('palette')).toBe('Mod+k')
  })
  expect(notify).toHaveBeenCalledWith(
    expect.objectContaining({ tone: 'bad', message: '"Pin" already uses Mod+j.' }),
  )
})
