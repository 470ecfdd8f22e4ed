import { expect, test } from 'vitest'
import {
  answerWith,
  hooks,
  sandbox,
  sandboxForEachTest,
} from '../../../test/support/sandbox-fixture.ts'

sandboxForEachTest()

test.each([
  [200, true],
  [201, false],
  [204, false],
  [301, false],
])('response %i: acknowledged is %s', async (status, acknowledged) => {
  await hooks('test', ['card.linked'])
  answerWith(status)
  const { deliveries } = await sandbox.trigger({ event: 'card.linked' })
  expect(deliveries[0]?.attempts).toMatchObject([{ status, acknowledged }])
})

test("a 200 whose body doesn't end isn't an acknowledgement", async () => {
  await hooks('test', ['card.linked'])
  answerWith((request, response) => {
    response.writeHead(200, { 'content-length': '10' })
    response.write('{', () => request.socket.end())
  })
  const { deliveries } = await sandbox.trigger({ event: 'card.linked' })
  expect(deliveries[0]?.attempts).toMatchObject([
    { status: 200, acknowledged: false, error: expect.any(String) as string },
  ])
})
