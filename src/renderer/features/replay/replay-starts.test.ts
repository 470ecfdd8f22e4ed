import { expect, test } from 'vitest'
import { AppError } from '../../../shared/contract/errors.ts'
import type { ConsentQuestion } from '../../state/consent-question.ts'
import { withConsent, type Consent } from './replay-starts.ts'

const refusals = {
  host: new AppError('TARGET_NOT_ALLOWED', 'no', { details: { host: 'example.com' } }),
  live: new AppError('CONFIRMATION_REQUIRED', 'no', { details: { environment: 'production' } }),
  count: new AppError('CONFIRMATION_REQUIRED', 'no', { details: { count: 40 } }),
}

/** A core that refuses until all is agreed to. */
function core(calls: Consent[]) {
  return async (consent: Consent): Promise<string> => {
    calls.push(consent)
    if (!consent.allowHosts.includes('example.com')) throw refusals.host
    if (!consent.live) throw refusals.live
    if (consent.most < 40) throw refusals.count
    return Promise.resolve('sent')
  }
}

test('each thing is asked once, a host only once for the window', async () => {
  const hosts = new Set<string>()
  const asked: ConsentQuestion[] = []
  const ask = (question: ConsentQuestion) => {
    asked.push(question)
    return Promise.resolve(true)
  }
  expect(await withConsent(hosts, ask, core([]))).toBe('sent')
  expect(asked.map(({ about }) => about)).toEqual(['host', 'live', 'count'])
  expect(await withConsent(hosts, ask, core([]))).toBe('sent')
  expect(asked.map(({ about }) => about)).toEqual(['host', 'live', 'count', 'live', 'count'])
})

test('what is not agreed to is not called again', async () => {
  const calls: Consent[] = []
  const hosts = new Set<string>()
  expect(await withConsent(hosts, () => Promise.resolve(false), core(calls))).toBe(null)
  expect([calls.length, hosts.size]).toEqual([1, 0])
})

test('another refusal, and a port of our own, are not questions', async () => {
  const ownPort = new AppError('TARGET_NOT_ALLOWED', 'own')
  await expect(
    withConsent(
      new Set(),
      () => Promise.resolve(true),
      () => Promise.reject(ownPort),
    ),
  ).rejects.toBe(ownPort)
})
