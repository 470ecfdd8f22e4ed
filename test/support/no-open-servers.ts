/** Fails each test file after which a server still listens or a process still runs. */
import { afterAll } from 'vitest'
import { closeOfFile } from './temporary-folder.ts'

const GRACE_MS = 2_000
const LEFT_OPEN: Readonly<Record<string, string>> = {
  TCPServerWrap: 'server',
  ProcessWrap: 'child process',
}

function leftOpen(): string[] {
  return process.getActiveResourcesInfo().flatMap((name) => LEFT_OPEN[name] ?? [])
}

// Registered before any hook of the test file, so it runs last.
afterAll(async () => {
  await closeOfFile()
  const until = Date.now() + GRACE_MS
  while (leftOpen().length > 0 && Date.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 20))
  const left = leftOpen()
  if (left.length > 0)
    throw new Error(
      `Still open after the last test of this file: ${left.join(', ')}. Close what the tests opened.`,
    )
}, 60_000)
