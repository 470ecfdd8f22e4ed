import { expect, test } from 'vitest'
import { createNativeHandlers } from './native.ts'

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

let quits = 0
const places = {
  dataFolder: '/data',
  caFile: () => Promise.resolve('/data/tls/ca.pem'),
  quit: () => void quits++,
}

test('opens the place that the page names', async () => {
  const shell = recordingShell()
  const handlers = createNativeHandlers(shell, places)
  expect(await handlers['native.showInFolder']({ what: 'data' })).toEqual({})
  expect(await handlers['native.showInFolder']({ what: 'ca' })).toEqual({})
  expect(shell.shown).toEqual(['open /data', 'show /data/tls/ca.pem'])
})

test("explains why a folder can't be opened", async () => {
  const handlers = createNativeHandlers(recordingShell('No application is registered'), places)
  await expect(handlers['native.showInFolder']({ what: 'data' })).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message: "Couldn't open /data: No application is registered. Open it in your file manager.",
  })
})

test('quits', async () => {
  expect(await createNativeHandlers(recordingShell(), places)['native.quit']({})).toEqual({})
  expect(quits).toBe(1)
})
