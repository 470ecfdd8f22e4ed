import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { expectPage, withTables } from '../../../test/support/docs-tables.ts'
import { faultSchema } from '../../shared/model/sandbox.ts'
import { blockedHeaders } from '../../shared/service/header-rules.ts'
import { eventTypes, hookKindOf } from '../../shared/service/event-type.ts'
import {
  ACKNOWLEDGE_TIMEOUT_MS,
  ATTEMPT_WAITS_MS,
  MAX_ATTEMPTS,
  MAX_CUSTOM_HEADERS,
  MAX_HEADER_NAME_LENGTH,
  MAX_HEADER_VALUE_LENGTH,
  MAX_HOOKS_PER_EVENT,
  REPLAY_WINDOW_MS,
} from '../../shared/service/limits.ts'
import { sectionAnchor, type Section } from '../../shared/service/hook-finding.ts'
import { apiErrors } from './api.ts'

const sandboxPath = fileURLToPath(new URL('../../../docs/sandbox.md', import.meta.url))
const sandbox = readFileSync(sandboxPath, 'utf8')
const service = readFileSync(new URL('../../../docs/service.md', import.meta.url), 'utf8')

/** The body rows of the table under a heading, each a list of its cells. */
function table(page: string, heading: string): string[][] {
  const [, after = ''] = page.split(`\n${heading}\n`)
  const [section = ''] = after.split(/\n##+ /)
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

test('docs/sandbox.md has the errors of the API', async () => {
  const tables = {
    errors: Object.entries(apiErrors).map(([code, { status, meaning }]) => [
      `\`${code}\``,
      String(status),
      meaning,
    ]),
  }
  await expectPage(sandboxPath, withTables(sandbox, tables))
})

test('docs/sandbox.md has every fault', () => {
  expect(
    table(sandbox, '## Faults')
      .map(([kind]) => kind ?? '')
      .sort(),
  ).toEqual(faultSchema.options.map((kind) => `\`${kind}\``).sort())
})

test('docs/service.md has every event, with the kind of its hook', () => {
  const rows = table(service, '### 6.1 Types').map(([event, kind]) => [event, kind])
  expect(rows).toEqual(
    eventTypes.map((event) => [`\`${event}\``, hookKindOf(event) ?? 'not shown']),
  )
})

test('docs/service.md has the limits of the code', () => {
  const rows = table(service, '## 8. Limits').map(([, value]) => value)
  expect(rows).toEqual([
    String(MAX_HOOKS_PER_EVENT),
    String(MAX_CUSTOM_HEADERS),
    `1 to ${MAX_HEADER_NAME_LENGTH} characters`,
    `1 to ${MAX_HEADER_VALUE_LENGTH.toLocaleString('en')} characters`,
    `${ACKNOWLEDGE_TIMEOUT_MS / 1_000} s`,
    `${MAX_ATTEMPTS}, waits of ${ATTEMPT_WAITS_MS.map((wait) => `${wait / 1_000} s`).join(' and ')}`,
    `${REPLAY_WINDOW_MS / 1_000} s`,
    'HTTPS',
  ])
})

test('docs/service.md has the blocked header names', () => {
  const quoted = service
    .split('\n')
    .flatMap((line) => (line.startsWith('> ') ? [line.slice(2)] : []))
  const names = quoted
    .join(' ')
    .split(/[,\s]+/)
    .filter((name) => name !== '')
  expect(new Set(names.map((name) => name.toLowerCase()))).toEqual(blockedHeaders('service'))
})

test('docs/service.md has an anchor for each section, and no link leads nowhere', () => {
  const sections: Section[] = [
    '1',
    '2',
    '2.1',
    '2.2',
    '2.3',
    '2.4',
    '2.5',
    '2.6',
    '2.7',
    '3',
    '4',
    '4.1',
    '4.2',
    '4.3',
    '4.4',
  ]
  sections.push('5', '5.1', '5.2', '5.3', '6', '6.1', '6.2', '6.3', '6.4', '7', '8', '9')
  const anchors = [...service.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id]) => id)
  expect(anchors).toEqual(sections.map(sectionAnchor))
  for (const [, id] of service.matchAll(/\]\(#([^)]+)\)/g)) expect(anchors).toContain(id)
  for (const [, id] of sandbox.matchAll(/service\.md#([^)]+)\)/g)) expect(anchors).toContain(id)
})
