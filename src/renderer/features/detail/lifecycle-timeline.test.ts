import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Lifecycle, LifecycleStage } from '../../../shared/model/lifecycle.ts'
import { LifecycleTimeline } from './lifecycle-timeline.tsx'

function stage(objectId: string, happenedAt: string, receivedAt: string): LifecycleStage {
  const about = {
    part: 'purchase',
    event: 'transaction.auth',
    name: 'Auth',
    amount: null,
    currency: null,
  } as const
  return {
    ...about,
    objectId,
    happenedAt,
    receivedAt,
    status: null,
    offer: null,
    isProved: true,
    deliveries: [],
  }
}

test('both axes share one scale: the dots of an event received when it happened line up', () => {
  const lifecycle: Lifecycle = {
    kind: 'purchase',
    objectId: 'a',
    now: '2026-11-25T00:00:00.000Z',
    stages: [
      stage('a', '2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z'),
      stage('b', '2026-11-23T00:00:00.000Z', '2026-11-23T00:00:00.000Z'),
      stage('c', '2026-11-24T00:00:00.000Z', '2026-11-25T00:00:00.000Z'),
    ],
    missing: [],
    findings: [],
    related: [],
    isCut: false,
    unlinked: null,
  }
  const html = renderToStaticMarkup(createElement(LifecycleTimeline, { lifecycle, presentId: '' }))
  const xs = [...html.matchAll(/<circle cx="([\d.]+)"/g)].map(([, x]) => Number(x))
  const [, , event, received, ...others] = xs
  expect(xs).toHaveLength(6)
  expect(received).toBe(event)
  // A day is as long on one axis as on the other.
  expect((xs[1] ?? 0) - (xs[0] ?? 0)).toBeCloseTo((others[1] ?? 0) - (others[0] ?? 0))
})
