import { expect, test } from 'vitest'
import { openAskedWindow } from '../../../../test/browser/open-window.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import { desktopFile } from '../../ui-state/user-file.ts'

function start() {
  const window = openAskedWindow()
  window.state().exporting.open({ query: '', seqs: null })
  void window.state().exporting.start('jsonl', false)
  return window
}

test('an export reports a lost connection, in its dialog or as a notice', async () => {
  const shown = start()
  const lost = new AppError('DISCONNECTED', 'The connection was lost.')
  await shown.core.next('app.status').refuse(lost)
  expect(shown.state().exporting.progress).toBe(null)
  expect(shown.state().exporting.problem).toContain('No file was written. Export again.')
  expect(shown.notify).not.toHaveBeenCalled()
  const hidden = start()
  hidden.state().navigation.closeOverlay()
  await hidden.core.next('app.status').refuse(lost)
  expect(hidden.notify).toHaveBeenCalledWith(expect.objectContaining({ tone: 'bad' }))
})

test("a cancelled export ends silently, and a second export can't start while one runs", async () => {
  const { core, notify, state } = start()
  void state().exporting.start('har', true)
  expect(core.asked).toHaveLength(1)
  state().exporting.cancel()
  await expect.poll(() => state().exporting.progress).toBe(null)
  expect([state().exporting.problem, notify.mock.calls]).toEqual([null, []])
})

test('a file that the system opened is imported only after the user confirms', async () => {
  const { core, state } = openAskedWindow()
  const handle = '0b5d2c1e-6c0f-4c6a-9a50-0f0a2a6d9a11'
  state().importing.choose(
    desktopFile(core.client, {
      handle,
      kind: 'capture',
      name: 'day.jsonl',
      size: 20,
      changedAt: 0,
    }),
  )
  expect(state().navigation.overlay).toBe('import')
  expect(state().importing.chosen).toMatchObject({ source: { name: 'day.jsonl', size: 20 } })
  expect(core.asked).toEqual([])
  state().importing.open()
  expect(state().importing.chosen, 'the dialog opened by hand asks for a file').toBeNull()
})
