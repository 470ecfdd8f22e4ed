import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { expectPage, rowsOf, table, withPart } from '../../../test/support/docs-tables.ts'
import { faultSchema } from '../../shared/model/notification.ts'
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
import { apiErrors } from './api-errors.ts'

const sandboxPath = fileURLToPath(new URL('../../../docs/sandbox.md', import.meta.url))
const sandbox = readFileSync(sandboxPath, 'utf8')
const service = readFileSync(new URL('../../../docs/service.md', import.meta.url), 'utf8')

test('docs/sandbox.md has the errors of the API', async () => {
  const rows = Object.entries(apiErrors).map(([code, { status, meaning }]) => [
    `\`${code}\``,
    String(status),
    meaning,
  ])
  const errors = table(['code', 'status', 'meaning'], rows)
  await expectPage(sandboxPath, withPart(sandbox, 'errors', errors))
})

test('docs/sandbox.md has every fault', () => {
  expect(
    rowsOf(sandbox, 'kind')
      .map(([kind]) => kind ?? '')
      .sort(),
  ).toEqual(faultSchema.options.map((kind) => `\`${kind}\``).sort())
})

test('docs/service.md has every event, with the kind of its hook', () => {
  const rows = rowsOf(service, 'event').map(([event, kind]) => [event, kind])
  expect(rows).toEqual(
    eventTypes.map((event) => [`\`${event}\``, hookKindOf(event) ?? 'not shown']),
  )
})

test('docs/service.md has the limits of the code', () => {
  const rows = rowsOf(service, 'limit').map(([, value]) => value)
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

test('docs/service.md has an anchor for each section', () => {
  const anchors = [...service.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id]) => id)
  const sections = [...service.matchAll(/^##+ ([\d.]*\d)/gm)].map(([, number]) => number as Section)
  expect(sections.length).toBe(27)
  expect(anchors).toEqual(sections.map(sectionAnchor))
})
