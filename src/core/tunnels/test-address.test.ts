import { expect, test } from 'vitest'
import type { SendResult } from '../outgoing/wire/send-request.ts'
import { testAddress } from './test-address.ts'

async function unreached(failure: SendResult['failure']) {
  const { message, outcome } = await testAddress('https://quiet-lake.tunnel.example', {
    clock: { now: () => 0 },
    probes: {
      expect: () => ({ path: '/probe', answer: 'a', arrived: () => null, forget: () => undefined }),
    },
    sender: {
      send: () =>
        Promise.resolve({
          status: null,
          headers: [],
          body: new Uint8Array(),
          truncated: false,
          ms: 1,
          phases: { connect: 0, wait: 0, body: 0 },
          failure,
          certificateProblem: null,
        }),
    },
  })
  return { message, outcome }
}

test.each([
  ['unknown-host', /can't be resolved\. A new tunnel's name/],
  ['timeout', /didn't respond within 10 s\. The tunnel may have lost its connection/],
  ['certificate', /\(expired\)\. The service only accepts valid certificates/],
  ['refused', /^Nothing listens$/],
] as const)(
  'an unreachable URL (%s) is explained with a fix for tunnels',
  async (kind, message) => {
    expect(await unreached({ kind, message: 'Nothing listens', reason: 'expired' })).toEqual({
      outcome: 'unreachable',
      message: expect.stringMatching(message),
    })
  },
)
