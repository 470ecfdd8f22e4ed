import { expect, test } from 'vitest'
import { openAskedWindow } from '../../../../test/browser/open-window.ts'
import type { UpdateState } from '../../../shared/contract/native.ts'

test.each<[UpdateState, boolean]>([
  [{ phase: 'idle' }, true],
  [{ phase: 'current' }, true],
  [{ phase: 'failed', title: '', message: '' }, true],
  [{ phase: 'off', reason: '' }, false],
  [{ phase: 'available', version: '2.0.0', page: null }, false],
  [{ phase: 'downloading', version: '2.0.0', percent: 50 }, false],
  [{ phase: 'ready', version: '2.0.0' }, false],
])(
  'opening updates shows the dialog, and checks only if no update is known: %o',
  async (update, checks) => {
    const { core, state } = openAskedWindow()
    const opening = state().settings.openUpdates()
    expect(state().navigation.overlay).toBe('updates')
    const request = core.next('native.update')
    expect(request.input).toEqual({ action: 'look' })
    await request.answer(update)
    if (checks) {
      const check = core.next('native.update')
      expect(check.input).toEqual({ action: 'check' })
      await check.answer({ phase: 'checking' })
    }
    await opening
    expect(state().settings.update).toEqual(checks ? { phase: 'checking' } : update)
    state().settings.updateChanged({ phase: 'ready', version: '3.0.0' })
    expect(state().settings.update).toEqual({ phase: 'ready', version: '3.0.0' })
  },
)
