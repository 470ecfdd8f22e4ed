import { expect, test } from 'vitest'
import { AppError } from '../../shared/contract/errors.ts'
import type { ApiClient } from '../service-api/api-client.ts'
import { readApiBody } from '../service-api/secrets-in-answers.ts'
import type { StoredEnvironment } from '../store/environments-repo.ts'
import { tryEnvironment } from './service-clients.ts'

const environment: StoredEnvironment = {
  name: 'staging',
  mode: 'test',
  baseUrl: 'https://api.example.com',
  prefix: 'service',
  auth: 'service-key',
  ack: '200',
  publicKey: null,
  key: null,
  connection: '{}',
  createdAt: 0,
}

function check(answer: { status: number; text: string } | Error) {
  const asked: string[] = []
  const client = {
    probe(id: string) {
      asked.push(id)
      if (answer instanceof Error) return Promise.reject(answer)
      const sent = { method: 'DELETE', url: '', headers: [], body: null }
      return Promise.resolve({ status: answer.status, headers: [], sent, ...readApiBody(answer.text, []) })
    },
  } as unknown as ApiClient
  const result = tryEnvironment(environment, { of: () => Promise.resolve(client) }, { next: () => 'an-id-just-made' })
  return result.then((checked) => {
    expect(asked).toEqual(['an-id-just-made'])
    return checked
  })
}

test.each([
  [404, '{"error":"unknown hook"}', 'ok'],
  [410, '{}', 'ok'],
  // Any web server says so of a path that it does not have: nothing is learned of the key.
  [404, '<html>Not found</html>', 'warning'],
  [404, '', 'warning'],
  [401, '{"error":"who"}', 'failed'],
  [403, 'no', 'failed'],
  [500, 'oops', 'failed'],
  [503, '', 'failed'],
  [200, '{}', 'warning'],
  [204, '', 'warning'],
  [301, '', 'warning'],
  [400, '{"error":"id"}', 'warning'],
])('%i with %j is %s', async (status, text, outcome) => {
  const result = await check({ status, text })
  expect(result).toMatchObject({ name: 'staging', outcome, status, body: text })
  expect(result.learned[0]).toBe('The service was reached.')
  expect(result.learned).toHaveLength(2)
})

test('a service that cannot be reached is an answer too', async () => {
  expect(await check(new AppError('SERVICE_UNREACHABLE', 'Nothing listens there.'))).toEqual({
    name: 'staging',
    outcome: 'failed',
    learned: ['Nothing listens there.'],
    status: null,
    body: null,
  })
  await expect(check(new TypeError('a bug'))).rejects.toThrow('a bug')
})
