import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createSessions, TICKET_LIFETIME_MS } from './sessions.ts'

function setup() {
  let now = 0
  const sessions = createSessions({ monotonic: () => now, randomBytes })
  const signIn = () => sessions.redeemToken(sessions.issueToken(1_000)) ?? ''
  return { sessions, signIn, pass: (ms: number) => (now += ms) }
}

describe('tokens', () => {
  test('have 256 bits and never repeat', () => {
    const { sessions } = setup()
    const tokens = Array.from({ length: 100 }, () => sessions.issueToken(1_000))
    expect(new Set(tokens).size).toBe(100)
    expect(Buffer.from(tokens[0] ?? '', 'base64url')).toHaveLength(32)
  })

  test('create one session', () => {
    const { sessions } = setup()
    const token = sessions.issueToken(1_000)
    const session = sessions.redeemToken(token)
    expect(session).not.toBeNull()
    expect(session).not.toBe(token)
    expect(sessions.hasSession(session ?? undefined)).toBe(true)
    expect(sessions.redeemToken(token)).toBeNull()
  })

  test('expire', () => {
    const { sessions, pass } = setup()
    const token = sessions.issueToken(1_000)
    pass(1_000)
    expect(sessions.redeemToken(token)).toBeNull()
  })

  test.each(['', 'x', 'é'.repeat(43), 'A'.repeat(43), 'A'.repeat(10_000)])(
    'a wrong token creates no session',
    (wrong) => {
      const { sessions } = setup()
      const token = sessions.issueToken(1_000)
      expect(sessions.redeemToken(wrong)).toBeNull()
      expect(sessions.redeemToken(token)).not.toBeNull()
    },
  )
})

describe('sessions', () => {
  test("can't be created from tokens or tickets", () => {
    const { sessions, signIn } = setup()
    const session = signIn()
    expect(sessions.hasSession(undefined)).toBe(false)
    expect(sessions.hasSession('')).toBe(false)
    expect(sessions.hasSession(sessions.issueToken(1_000))).toBe(false)
    expect(sessions.hasSession(sessions.issueTicket(session))).toBe(false)
  })
})

describe('tickets', () => {
  test('work once', () => {
    const { sessions, signIn } = setup()
    const session = signIn()
    const ticket = sessions.issueTicket(session)
    expect(sessions.redeemTicket(session, ticket)).toBe(true)
    expect(sessions.redeemTicket(session, ticket)).toBe(false)
  })

  test('work only for their own session and are used up by any other', () => {
    const { sessions, signIn } = setup()
    const session = signIn()
    const ticket = sessions.issueTicket(session)
    expect(sessions.redeemTicket(signIn(), ticket)).toBe(false)
    expect(sessions.redeemTicket(session, ticket)).toBe(false)
  })

  test('expire', () => {
    const { sessions, signIn, pass } = setup()
    const session = signIn()
    const ticket = sessions.issueTicket(session)
    pass(TICKET_LIFETIME_MS)
    expect(sessions.redeemTicket(session, ticket)).toBe(false)
  })
})
