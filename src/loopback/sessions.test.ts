import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSessions } from './sessions.ts'

// What a token, a session and a ticket open, and for how long: test/integration/loopback-host.test.ts.

const sessions = createSessions({ monotonic: () => 0, randomBytes })

test('tokens have 256 bits and never repeat', () => {
  const tokens = Array.from({ length: 100 }, () => sessions.issueToken(1_000))
  expect(new Set(tokens).size).toBe(100)
  expect(Buffer.from(tokens[0] ?? '', 'base64url')).toHaveLength(32)
})

test('a session differs from its token, and neither a token nor a ticket is one', () => {
  const token = sessions.issueToken(1_000)
  const session = sessions.redeemToken(token) ?? ''
  expect(session).not.toBe(token)
  expect(sessions.hasSession(session)).toBe(true)
  for (const other of [undefined, '', sessions.issueToken(1_000), sessions.issueTicket(session)])
    expect(sessions.hasSession(other)).toBe(false)
})
