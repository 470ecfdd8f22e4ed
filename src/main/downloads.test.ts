import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { mayDownload, saveFilters, setupDownloads } from './downloads.ts'

const pageUrl = 'app://countersign/'

test('the page may save only what it made', () => {
  expect(mayDownload('blob:app://countersign/5d0c', pageUrl)).toBe(true)
  for (const url of [
    'https://example.com/a.exe',
    'app://countersign/index.html',
    'blob:https://example.com/x',
    'blob:app://countersign.evil/x',
    'data:text/plain,x',
    'file:///etc/passwd',
    '',
  ])
    expect(mayDownload(url, pageUrl), url).toBe(false)
})

test('the dialog offers the type of the file, and all files', () => {
  expect(saveFilters('deliveries.jsonl')).toEqual([
    { name: 'JSON Lines', extensions: ['jsonl'] },
    { name: 'All files', extensions: ['*'] },
  ])
  expect(saveFilters('body.BIN')).toEqual([{ name: 'All files', extensions: ['*'] }])
  expect(saveFilters('body')).toEqual([{ name: 'All files', extensions: ['*'] }])
})

test('asks with the system dialog, refuses other addresses, and reports a file that could not be written', () => {
  const session = new EventEmitter()
  const said: string[] = []
  setupDownloads(session as unknown as Parameters<typeof setupDownloads>[0], {
    pageUrl,
    onFailed: (name) => said.push(`failed ${name}`),
    onRefused: (url) => said.push(`refused ${url}`),
  })
  const download = (url: string) => {
    const options: unknown[] = []
    const item = Object.assign(new EventEmitter(), {
      getURL: () => url,
      getFilename: () => 'deliveries.jsonl',
      setSaveDialogOptions: (given: unknown) => options.push(given),
    })
    let prevented = false
    session.emit('will-download', { preventDefault: () => (prevented = true) }, item)
    return { item, options, prevented }
  }
  expect(download('https://evil.example/x')).toMatchObject({ prevented: true, options: [] })
  const own = download('blob:app://countersign/5d0c')
  expect(own).toMatchObject({ prevented: false, options: [{ defaultPath: 'deliveries.jsonl' }] })
  own.item.emit('done', {}, 'interrupted')
  download('blob:app://countersign/1').item.emit('done', {}, 'cancelled')
  expect(said).toEqual(['refused https://evil.example/x', 'failed deliveries.jsonl'])
})
