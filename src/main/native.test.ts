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

const places = { dataFolder: '/data', caFile: () => Promise.resolve('/data/tls/ca.pem') }

test('the page names what to show, the app knows where it is', async () => {
  const shell = recordingShell()
  const handlers = createNativeHandlers(shell, places)
  expect(await handlers['native.showInFolder']({ what: 'data' })).toEqual({})
  expect(await handlers['native.showInFolder']({ what: 'ca' })).toEqual({})
  expect(shell.shown).toEqual(['open /data', 'show /data/tls/ca.pem'])
})

test('a folder that the system cannot open is told in a sentence', async () => {
  const handlers = createNativeHandlers(recordingShell('No application is registered'), places)
  await expect(handlers['native.showInFolder']({ what: 'data' })).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message: 'The system could not open /data: No application is registered. Open it by hand.',
  })
})
