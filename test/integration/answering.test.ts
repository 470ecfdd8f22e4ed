import { beforeAll, describe, expect, it } from 'vitest'
import { answeringRuleSchema, type Hook } from '../../src/shared/model/hook.ts'
import { coreInFolder } from '../support/in-folder.ts'
import type { TestCore } from '../support/test-core.ts'

const SECRET = 'whsec_of_the_answering_test'

describe("a hook's response rule", () => {
  let core: TestCore
  let hook: Hook

  beforeAll(async () => {
    core = await coreInFolder()
    hook = await core.hook('/h/answers', SECRET)
  })

  const answer = (rule: object) =>
    core.call('hooks.answer', { id: hook.id, rule: answeringRuleSchema.parse(rule) })
  const send = (body: string) => core.deliver({ url: hook.url, secret: SECRET }, body)
  const latest = async () => (await core.call('deliveries.list', { limit: 1 })).items[0]!

  it('sends its status, headers and body, and the delivery is stored', async () => {
    await answer({ status: 418, headers: { 'X-Reason': 'tea' }, body: 'short and stout' })
    const response = await send('{"case":"status"}')
    expect({ ...response, headers: response.headers['x-reason'] }).toEqual({
      status: 418,
      headers: 'tea',
      body: 'short and stout',
    })
    const { answer: answered, response: stored } = await latest()
    expect(answered.status).toBe(418)
    expect(stored).toEqual({
      status: 418,
      headers: [
        ['X-Reason', 'tea'],
        ['X-Content-Type-Options', 'nosniff'],
        ['Content-Length', '15'],
      ],
      body: Buffer.from('short and stout').toString('base64'),
      truncated: false,
    })
    // Exactly what the sender got, without the headers that Node adds for the connection.
    const { date: _, connection: __, 'keep-alive': ___, ...sent } = response.headers
    expect(
      Object.fromEntries(stored!.headers.map(([name, value]) => [name.toLowerCase(), value])),
    ).toEqual(sent)
  })

  it.each([204, 304])('sends %i without a body, and so without a length', async (status) => {
    await answer({ status, body: 'not sent' })
    const { headers } = await send(`{"case":"no body ${status}"}`)
    expect(headers['content-length']).toBeUndefined()
    const { response } = await latest()
    expect(response).toMatchObject({ status, body: '' })
    expect(response?.headers.map(([name]) => name)).not.toContain('Content-Length')
  })

  it('takes no header of the connection', async () => {
    for (const name of ['Content-Length', 'transfer-encoding', 'Trailer', 'Connection', 'Upgrade'])
      await expect(
        core.call('hooks.answer', { id: hook.id, rule: { headers: { [name]: 'x' } } }),
      ).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining(`The header "${name}" must be left out`),
      })
  })

  it('fails the first attempts of each notification, grouped under the first one', async () => {
    await answer({ failFirst: 2, failStatus: 503 })
    const statuses = [
      await send('{"n":1}'),
      await send('{"n":1}'),
      await send('{"n":2}'),
      await send('{"n":1}'),
      await send('{"n":1}'),
    ]
    expect(statuses.map(({ status }) => status)).toEqual([503, 503, 503, 200, 200])
    const { items } = await core.call('deliveries.list', { limit: 5 })
    const [fifth, fourth, third, second, first] = items
    expect([first, second, third, fourth, fifth].map((delivery) => delivery?.attempt)).toEqual([
      1, 2, 1, 3, 1,
    ])
    expect([second?.attemptOf, fourth?.attemptOf, fifth?.duplicateOf]).toEqual([
      first?.id,
      first?.id,
      first?.id,
    ])
  })

  it('delays the response, and drops the connection', async () => {
    await answer({ delayMs: 300 })
    const before = performance.now()
    expect((await send('{"case":"delay"}')).status).toBe(200)
    expect(performance.now() - before).toBeGreaterThanOrEqual(290)
    await answer({ drop: true })
    await expect(send('{"case":"drop"}')).rejects.toThrow()
    const { answer: dropped, response } = await latest()
    expect([dropped.status, response]).toEqual([
      null,
      { status: null, headers: [], body: '', truncated: false },
    ])
  })

  it('survives a restart', async () => {
    await answer({ status: 202 })
    await core.stop()
    core = await coreInFolder({ dataFolder: core.dataFolder })
    expect((await send('{"case":"restart"}')).status).toBe(202)
  })
})
