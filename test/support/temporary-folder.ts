/** Temporary folders and other resources that tests open without closing them. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, TestRunner } from 'vitest'
import { closeAll, type Closer } from '../../src/core/base/async.ts'
import { startRawEndpoint, type RawEndpoint } from './replay-fixture.ts'

const openForFile: Closer[] = []

/** Closes at the end of the test, or of the file if a `beforeAll` opened it, in reverse order. */
export function closeAtEnd(close: Closer): void {
  if (TestRunner.getCurrentTest() === undefined) openForFile.push(close)
  else
    onTestFinished(async () => {
      await close()
    })
}

/** Closes what the file opened; called by the setup file. */
export const closeOfFile = () => closeAll(openForFile)

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-test-'))
  closeAtEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

export async function rawEndpoint(
  ...answer: Parameters<typeof startRawEndpoint>
): Promise<RawEndpoint> {
  const endpoint = await startRawEndpoint(...answer)
  closeAtEnd(endpoint.close)
  return endpoint
}
