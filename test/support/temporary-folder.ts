/** Temporary folders of tests, and other resources that tests open and don't close themselves. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, TestRunner } from 'vitest'
import { closeAll, type Closer } from '../../src/core/base/close-all.ts'

const openForFile: Closer[] = []

/** Closes when the running test ends; what a `beforeAll` or a file opened, at the end of the file. The last opened is closed first. */
export function closeAtEnd(close: Closer): void {
  if (TestRunner.getCurrentTest() === undefined) openForFile.push(close)
  else
    onTestFinished(async () => {
      await close()
    })
}

/** For the setup of test files, which calls it at the end of each. */
export const closeOfFile = () => closeAll(openForFile)

/** A new folder, removed at the end with all that is in it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-test-'))
  closeAtEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}
