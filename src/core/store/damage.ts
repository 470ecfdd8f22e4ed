/** Finds damaged values and bodies, with the zod schemas that `rows.ts` avoids. */
import type { Database } from 'better-sqlite3'
import { ownResponseSchema } from '../../shared/model/delivery.ts'
import { flowRunSchema, flowRunSummarySchema } from '../../shared/model/flow-run.ts'
import { forwardSettingsSchema } from '../../shared/model/forward.ts'
import { answeringRuleSchema } from '../../shared/model/hook.ts'
import { columnEntries, checkColumn, unreadable, WRONG_VALUES, type Schema } from './rows.ts'
import { damagedBodies } from './stored-bodies.ts'

/** Schemas of columns that `rows.ts` checks only in part. */
const schemas: Readonly<Record<string, Schema<unknown>>> = {
  'hooks.answering': answeringRuleSchema,
  'responses.content': ownResponseSchema,
  'forward_targets.settings': forwardSettingsSchema,
  'flow_runs.run': flowRunSchema,
  'flow_runs.summary': flowRunSummarySchema,
}

/** Checked tables. A message calls a row by `noun` and the SQL `name`, such as `handler shop`. */
const namedTables: Readonly<
  Record<string, { readonly key: string; readonly noun: string; readonly name: string }>
> = {
  deliveries: { key: 'seq', noun: 'delivery', name: 'id' },
  responses: { key: 'key', noun: 'stored response', name: 'key' },
  hooks: { key: 'id', noun: 'hook', name: 'id' },
  environments: { key: 'name', noun: 'environment', name: 'name' },
  sandbox_objects: { key: 'rowid', noun: 'sandbox object', name: "kind || ' ' || id" },
  handlers: { key: 'seq', noun: 'handler', name: 'name' },
  forward_targets: { key: 'id', noun: 'forward target', name: 'id' },
  replay_jobs: { key: 'id', noun: 'replay', name: 'id' },
  sends: { key: 'seq', noun: 'send', name: "job_id || '.' || position" },
  check_runs: { key: 'seq', noun: 'handler check', name: 'id' },
  flow_runs: { key: 'id', noun: 'flow run', name: 'id' },
}

interface DamagedValue {
  readonly table: string
  readonly column: string
  readonly keyColumn: string
  readonly key: string | number
  readonly text: string
  /** Value to store instead; absent if only removing the row helps. */
  readonly fallback?: string | number | null
}

export function* damagedValues(db: Database): Generator<DamagedValue> {
  for (const [table, { key, noun, name }] of Object.entries(namedTables)) {
    const tableColumns = columnEntries.filter(([column]) => column.startsWith(`${table}.`))
    const names = tableColumns.map(([column]) => column.slice(table.length + 1))
    const rows = db
      .prepare<[], unknown[]>(`SELECT ${key}, ${name}, ${names.join(', ')} FROM ${table}`)
      .raw()
    for (const [id, shown, ...values] of rows.iterate()) {
      for (const [index, [column, { isJson, fallback }]] of tableColumns.entries()) {
        const value = values[index]
        const problem = isJson && value === null ? null : problemOf(column, value)
        if (problem === null) continue
        yield {
          table,
          column: names[index]!,
          keyColumn: key,
          key: id as string | number,
          text: `${noun} ${String(shown)}: ${unreadable(column, problem).message}`,
          ...(fallback === undefined ? {} : { fallback }),
        }
      }
    }
  }
}

function problemOf(column: Parameters<typeof checkColumn>[0], stored: unknown): string | null {
  const result = checkColumn(column, stored)
  if ('problem' in result) return result.problem
  const schema = schemas[column]
  const isComplete = schema === undefined || schema.safeParse(result.value).data !== undefined
  return isComplete ? null : WRONG_VALUES
}

/** Problems beyond unreadable pages. */
export interface RowProblems {
  readonly values: readonly string[]
  readonly bodies: readonly string[]
}

const MAX_PROBLEMS = 100

export function findRowProblems(db: Database): RowProblems {
  return {
    values: damagedValues(db)
      .take(MAX_PROBLEMS)
      .map(({ text }) => text)
      .toArray(),
    bodies: damagedBodies(db)
      .take(MAX_PROBLEMS)
      .map(({ id }) => id)
      .toArray(),
  }
}
