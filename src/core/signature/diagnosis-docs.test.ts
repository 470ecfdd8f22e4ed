import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { KnownSecret } from './diagnosis/departure.ts'
import { layoutDepartures } from './diagnosis/layout-departures.ts'
import { passDepartures } from './diagnosis/pass-departures.ts'
import { secretDepartures } from './diagnosis/secret-departures.ts'
import { secretKey } from './sign.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const CAUSE = /\b(?:secret|passes|encoding|url|timestamp|body|order):[a-z0-9-]+/g
const kinds: readonly KnownSecret['kind'][] = [
  'stored',
  'previous',
  'other-hook',
  'other-environment',
  'api-key',
]
/** Parts in another order: the page describes them as a pattern, because there are about a hundred. */
const ofOrder = /^order:(?:body|url|timestamp)-(?:body|url|timestamp)/

it('docs/diagnosis.md lists exactly the causes that a diagnosis can name', () => {
  const sources = readdirSync(new URL('./diagnosis', import.meta.url)).filter(
    (name) => !name.includes('.test.'),
  )
  const others = ['./diagnose.ts', '../../shared/service/timestamp-unit.ts']
  const literal = [...sources.map((name) => `./diagnosis/${name}`), ...others].flatMap(
    (path) => read(path).match(CAUSE) ?? [],
  )
  const secrets = secretDepartures({
    body: Buffer.alloc(0),
    url: '',
    timestamp: '',
    received: '',
    key: secretKey('a'),
    otherSecrets: kinds.map((kind) => ({ kind, owner: kind, key: secretKey(kind) })),
    otherUrls: [],
    otherTimestamps: [],
    otherBodies: [],
    signer: 'user',
  })
  const made = [...passDepartures.single, ...layoutDepartures, ...secrets.single].flatMap(
    ({ causes }) => causes,
  )
  const named = new Set<string>(
    [...literal, ...made].filter((cause) => !ofOrder.test(cause) && !cause.endsWith('-')),
  )
  const listed = new Set<string>(
    (read('../../../docs/diagnosis.md').match(CAUSE) ?? []).filter((cause) => !ofOrder.test(cause)),
  )
  expect([...listed].toSorted()).toEqual([...named].toSorted())
})
