import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { checkReportFiles } from './report-files.ts'

const folder = temporaryFolder()

test('accepts a writable report file and creates nothing', async () => {
  await checkReportFiles([undefined, join(folder, 'check.xml'), 'check.xml', '/dev/stdout'])
  expect(readdirSync(folder)).toEqual([])
})

test('rejects two reports to the same file, however it is named', async () => {
  const files = [join(folder, 'one.html'), undefined, `${folder}/./one.html`]
  await expect(checkReportFiles(files)).rejects.toThrow("Two reports can't use the same file")
})

test.each([
  [join(folder, 'none', 'check.xml'), /folder .*none doesn't exist\. Create it/],
  [folder, /it is a folder/],
])('rejects %s before anything starts', async (file, why) => {
  await expect(checkReportFiles([undefined, file])).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringMatching(why) as unknown,
  })
})
