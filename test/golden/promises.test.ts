/**
 * Writes everything that scripts, other processes and stored data rely on to files next to this
 * test: the contract, the JSON of commands, and the database tables. Refactoring changes none of
 * them; `npx vitest run test/golden -u` rewrites them after an intended change, and its diff gets
 * reviewed.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openForReading } from '../../src/core/store/open.ts'
import { searchFileOf } from '../../src/core/store/search/open-search.ts'
import { commands, events } from '../../src/shared/contract/contract.ts'
import { nativeCommands } from '../../src/shared/contract/native.ts'
import { cliOfFile } from '../integration/cli-fixture.ts'
import { signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { startRawEndpoint } from '../support/replay-fixture.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { databaseFileOf } from '../../src/core/store/database.ts'

const cli = cliOfFile()

type Json = z.core.JSONSchema.JSONSchema

/** Returns other constraints of a schema, in braces after its type. */
function demands({ description: _, $schema: _schema, ...rest }: Record<string, unknown>): string {
  const isWhole = (name: string, value: unknown) =>
    /imum$/.test(name) && Math.abs(value as number) === Number.MAX_SAFE_INTEGER
  const asked = Object.entries(rest).filter(([name, value]) => !isWhole(name, value))
  const named = asked.map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return named.length === 0 ? '' : ` {${named.join(', ')}}`
}

/** Returns a JSON schema in the style of a TypeScript type. Fields with `?` are optional. */
function typeText(schema: Json | boolean | undefined, indent = ''): string {
  if (schema === undefined || typeof schema === 'boolean') return String(schema ?? 'any')
  const {
    type,
    properties,
    required = [],
    additionalProperties,
    items,
    prefixItems,
    anyOf,
    oneOf,
    ...rest
  } = schema
  const inner = `${indent}  `
  const all = anyOf ?? oneOf
  if (all !== undefined) return all.map((one) => typeText(one, indent)).join(' | ') + demands(rest)
  if (type === 'array') {
    const { additionalItems: _, ...more } = rest as Record<string, unknown>
    const listed = Array.isArray(prefixItems)
      ? prefixItems.map((one) => typeText(one as Json, indent)).join(', ')
      : null
    return (
      (listed === null ? `[${typeText(items as Json, indent)}]` : `(${listed})`) + demands(more)
    )
  }
  if (type === 'object') {
    const fields = Object.entries(properties ?? {}).map(
      ([name, field]) =>
        `${inner}${name}${required.includes(name) ? '' : '?'}: ${typeText(field as Json, inner)}`,
    )
    const { propertyNames, ...more } = rest
    const others =
      typeof additionalProperties === 'object'
        ? [`${inner}[${typeText(propertyNames)}]: ${typeText(additionalProperties, inner)}`]
        : []
    const lines = [...fields, ...others]
    return (lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`) + demands(more)
  }
  const { enum: values, const: value, ...more } = rest
  if (value !== undefined) return JSON.stringify(value) + demands(more)
  if (values !== undefined)
    return values.map((one) => JSON.stringify(one)).join(' | ') + demands(more)
  return (type ?? 'any') + demands(more)
}

const shape = (schema: z.ZodType, io: 'input' | 'output') =>
  typeText(z.toJSONSchema(schema, { io, unrepresentable: 'any' }))

test('the contract', async () => {
  const called = Object.entries({ ...commands, ...nativeCommands }).map(
    ([name, { input, output }]) =>
      `${name}\n${shape(input, 'input')}\n→ ${shape(output, 'output')}\n`,
  )
  const payloads = Object.entries(events).map(
    ([name, payload]) => `${name}\n${shape(payload, 'output')}\n`,
  )
  const text = ['COMMANDS', ...called, 'EVENTS', ...payloads].join('\n')
  await expect(text).toMatchFileSnapshot('contract.txt')
})

/** Returns a value's types instead of its values; for an array, the types of its items. */
function typesOf(value: unknown): unknown {
  if (value === null) return 'null'
  if (Array.isArray(value))
    return [...new Set(value.map((item) => JSON.stringify(typesOf(item))))]
      .sort()
      .map((text) => JSON.parse(text) as unknown)
  if (typeof value !== 'object') return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, typesOf(part)]))
}

test('the JSON that commands print, and the tables of a new data folder', async () => {
  const folder = temporaryFolder()

  const endpoint = await startRawEndpoint()
  try {
    const core = await coreInFolder({ dataFolder: folder })
    const url = `${core.receiver}/h/golden`
    const secret = 'whsec_golden_0123456789'
    const body = '{"id":"1"}'
    await core.call('hooks.import', { event: 'card.linked', url, secret })
    await core.deliver({ url, secret }, body)
    await core.send(`${url}/elsewhere`, { body, headers: [] })
    await core.call('views.save', { name: 'Linked cards', query: 'event:card.linked' })
    await core.stop()

    const signed = new Map(signedHeaders(secret, body, url))
    const verify = [
      'verify',
      '--secret',
      secret,
      '--url',
      url,
      '--timestamp',
      signed.get('x-service-timestamp') ?? '',
    ]
    const samples: Record<string, readonly string[]> = {
      'deliveries --json': ['deliveries', '--json'],
      'show ID --json': ['show', 'latest:card.linked', '--json'],
      'verify --json, valid': [
        ...verify,
        '--signature',
        signed.get('x-service-signature') ?? '',
        '--json',
      ],
      'verify --json, invalid': [...verify, '--signature', 'bm9uZQ==', '--json'],
      'sign --json': ['sign', '--secret', secret, '--url', url, '--json'],
      'hooks list --json': ['hooks', 'list', '--json'],
      'environments list --json': ['environments', 'list', '--json'],
      'replay ID --json': ['replay', 'latest:card.linked', '--to', endpoint.origin, '--json'],
      'check URL --json': [
        'check',
        endpoint.origin,
        '--secret',
        secret,
        '--only',
        'first-delivery',
        '--json',
      ],
      'flow list --json': ['flow', 'list', '--json'],
      'flow run NAME --json': ['flow', 'run', 'card-linked', '--json'],
      'views list --json': ['views', 'list', '--json'],
      'stats --json': ['stats', '--json'],
      'drift --json': ['drift', '--json'],
      'compare A B --json': ['compare', 'latest', 'latest~1', '--json'],
      'mark ID --json': ['mark', 'latest', '--pin', '--json'],
      'handlers add NAME --json': [
        'handlers',
        'add',
        'local',
        '--url',
        endpoint.origin,
        '--secret',
        secret,
        '--json',
      ],
      'replay --list --json': ['replay', '--list', '--json'],
      'backup FILE --json': ['backup', join(cli.folder, 'backup.db'), '--json'],
      'settings --json': ['settings', '--json'],
      'doctor --json': ['doctor', '--json'],
    }
    const printed: Record<string, unknown> = {}
    for (const [name, words] of Object.entries(samples)) {
      const ran = await cli.given({ data: folder, stdin: name.startsWith('doctor') ? '' : body })
        .run`${words}`
      expect([name, ran.json().length > 0 || ran.stderr]).toEqual([name, true])
      printed[name] = { exitCode: ran.code, lines: typesOf(ran.json()) }
    }
    await expect(`${JSON.stringify(printed, null, 2)}\n`).toMatchFileSnapshot('printed.json')

    // A short command may end before the search index has its tables.
    const indexing = await coreInFolder({ dataFolder: folder })
    const search = async () => (await indexing.call('app.status', {})).store.search
    await until(indexing.client, 'store.changed', search, ({ state }) => state === 'ready')
    await indexing.stop()

    const tables = [databaseFileOf(folder), searchFileOf(folder)].map((file) => {
      const db = openForReading(file)
      const rows = db
        .prepare<[], { sql: string }>(
          'SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name',
        )
        .all()
      const version = db.pragma('user_version', { simple: true }) as number
      db.close()
      return [
        `-- ${file.slice(folder.length + 1)}, version ${version}`,
        ...rows.map(({ sql }) => `${sql};`),
      ].join('\n\n')
    })
    await expect(`${tables.join('\n\n')}\n`).toMatchFileSnapshot('tables.sql')
  } finally {
    await endpoint.close()
  }
})
