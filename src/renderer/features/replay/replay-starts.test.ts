import { expect, test } from 'vitest'
import { AppError } from '../../../shared/contract/errors.ts'
import type { ConsentQuestion } from '../../state/consent-question.ts'
import { withConsent, type ReplayConsent } from './replay-starts.ts'

const refusals = {
  host: new AppError('TARGET_NOT_ALLOWED', 'no', { details: { host: 'example.com' } }),
  live: new AppError('CONFIRMATION_REQUIRED', 'no', { details: { environment: 'production' } }),
  count: new AppError('CONFIRMATION_REQUIRED', 'no', { details: { count: 40 } }),
}

/** A core that rejects calls until every consent is given. */
async function core(consent: ReplayConsent): Promise<string> {
  if (!consent.allowHosts.includes('example.com')) throw refusals.host
  if (!consent.live) throw refusals.live
  if (consent.most < 40) throw refusals.count
  return Promise.resolve('sent')
}

test('asks for each consent once, and for a host once per window', async () => {
  const hosts = new Set<string>()
  const asked: ConsentQuestion[] = []
  const ask = (question: ConsentQuestion) => {
    asked.push(question)
    return Promise.resolve(true)
  }
  expect(await withConsent(hosts, ask, core)).toBe('sent')
  expect(asked.map(({ about }) => about)).toEqual(['host', 'live', 'count'])
  expect(await withConsent(hosts, ask, core)).toBe('sent')
  expect(asked.map(({ about }) => about)).toEqual(['host', 'live', 'count', 'live', 'count'])
})
