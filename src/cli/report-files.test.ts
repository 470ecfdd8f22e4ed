import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { checkReportFiles } from './report-files.ts'

const folder = temporaryFolder()

test('a report that can be written is let through, and nothing is made', async () => {
  await checkReportFiles([undefined, join(folder, 'check.xml'), 'check.xml', '/dev/stdout'])
  expect(readdirSync(folder)).toEqual([])
})

test('one file for two reports is refused, however it is named', async () => {
  const files = [join(folder, 'one.html'), undefined, `${folder}/./one.html`]
  await expect(checkReportFiles(files)).rejects.toThrow("Two reports can't use the same file")
})

test.each([
  [join(folder, 'none', 'check.xml'), /folder .*none doesn't exist\. Create it/],
  [folder, /it is a folder/],
])('%s is refused before anything begins', async (file, why) => {
  await expect(checkReportFiles([undefined, file])).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringMatching(why) as unknown,
  })
})
