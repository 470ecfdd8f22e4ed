import { expect, test } from 'vitest'
import { caFileOf } from '../core/base/data-folder.ts'
import { createNativeHandlers } from './native-handlers.ts'

function recordingShell(problem = '') {
  const shown: string[] = []
  return {
    shown,
    openPath(path: string) {
      shown.push(`open ${path}`)
      return Promise.resolve(problem)
    },
    showItemInFolder(path: string) {
      shown.push(`show ${path}`)
    },
  }
}

const handlersWith = (shell: ReturnType<typeof recordingShell>) =>
  createNativeHandlers(shell, '/data', () => undefined)

test('opens the place that the page names', async () => {
  const shell = recordingShell()
  const handlers = handlersWith(shell)
  expect(await handlers['native.showInFolder']({ what: 'data' })).toEqual({})
  expect(await handlers['native.showInFolder']({ what: 'ca' })).toEqual({})
  expect(shell.shown).toEqual(['open /data', `show ${caFileOf('/data')}`])
})

test("explains why a folder can't be opened", async () => {
  const handlers = handlersWith(recordingShell('No application is registered'))
  await expect(handlers['native.showInFolder']({ what: 'data' })).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message: "Couldn't open /data: No application is registered. Open it in your file manager.",
  })
})
