import { expect, test } from 'vitest'
import { createAskedClient } from '../../../../test/support/asked-client.ts'
import { hookOf } from '../../../../test/support/model-values.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type { FirstWalk } from '../../../shared/model/first-walk.ts'
import { ensureHooks, sendAltered } from './tour-calls.ts'

const walk: FirstWalk = {
  station: 'hook',
  shown: true,
  finished: false,
  after: 0,
  programId: null,
  hookIds: [],
  leapMs: null,
}

test('a created hook is reported before the next one is requested, so that an error loses none', async () => {
  const { next, answer, client } = createAskedClient()
  const made: string[][] = []
  const whole = ensureHooks(client, walk, [], 'https://127.0.0.1:1', (_program, hooks) => {
    made.push(hooks.map(({ id }) => id))
    return Promise.resolve()
  })
  await answer('sandbox.objects', { objects: [] })
  await next('sandbox.create').answer({ object: { id: 'program' } })
  await next('hooks.add').answer({ hook: hookOf({ id: 'auth' }), warnings: [] })
  expect(made).toEqual([['auth']])
  void next('hooks.add').refuse(new AppError('INVALID_INPUT', 'No.'))
  await expect(whole).rejects.toThrow('No.')
})

test('sending an altered delivery waits for its replay, and a lost connection ends the wait', async () => {
  const { next, emit, client } = createAskedClient()
  const sent = sendAltered(client, 'a')
  await next('replay.start').answer({ job: { id: 'job', state: 'running' } })
  await next('replay.get').answer({ job: { id: 'job', state: 'running' } })
  emit('replay.changed', { job: { id: 'job', state: 'done' } } as never)
  await new Promise((done) => setTimeout(done, 0))
  await next('replay.get').answer({ job: { id: 'job', state: 'done' } })
  await next('replay.sends').answer({ sends: [{ status: 503 }] })
  expect(await sent).toContain('the receiver returned 503')
  const lost = sendAltered(client, 'b')
  await next('replay.start').answer({ job: { id: 'other', state: 'running' } })
  void next('replay.get').refuse(new AppError('DISCONNECTED', 'The connection was lost.'))
  await expect(lost).rejects.toThrow('The connection was lost.')
})
