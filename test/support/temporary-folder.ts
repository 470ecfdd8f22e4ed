/** Temporary folders and other resources that tests open without closing them. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, TestRunner } from 'vitest'
import { closeAll, type Closer } from '../../src/core/base/async.ts'
import { startRawEndpoint, type RawEndpoint } from './replay-fixture.ts'

const openForFile: Closer[] = []

/**
 * Closes when the running test ends, or at the end of the file if a `beforeAll` or the file opened it. The last opened closes
 * first.
 */
export function closeAtEnd(close: Closer): void {
  if (TestRunner.getCurrentTest() === undefined) openForFile.push(close)
  else
    onTestFinished(async () => {
      await close()
    })
}

/** For the setup file, which calls it at the end of each test file. */
export const closeOfFile = () => closeAll(openForFile)

/** A new folder, removed with its content at the end. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-test-'))
  closeAtEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** An endpoint that records raw requests, closed at the end. */
export async function rawEndpoint(
  ...answer: Parameters<typeof startRawEndpoint>
): Promise<RawEndpoint> {
  const endpoint = await startRawEndpoint(...answer)
  closeAtEnd(endpoint.close)
  return endpoint
}
