/**
 * Runs in each test file: a server that still listens when the file has ended is a `close` that nobody called, or that does
 * not close. In the product it would keep a port and a process alive, so here it fails the file.
 */
import { afterAll } from 'vitest'

const GRACE_MS = 2_000

function openServers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length
}

// Registered before any hook of the file itself, so it runs after all of them.
afterAll(async () => {
  const until = Date.now() + GRACE_MS
  while (openServers() > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20))
  const count = openServers()
  if (count > 0) throw new Error(`${count} server(s) still listen after the last test of this file: close what the tests opened.`)
})
