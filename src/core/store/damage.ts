/** Finds damaged values and bodies. Apart from `rows.ts`, because threads start without zod. */
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

/** Each table with its key column, and what a message calls its rows. */
const namedTables: Readonly<Record<string, readonly [key: string, noun: string, name: string]>> = {
  deliveries: ['seq', 'delivery', 'id'],
  responses: ['key', 'stored response', 'key'],
  hooks: ['id', 'hook', 'id'],
  environments: ['name', 'environment', 'name'],
  sandbox_objects: ['rowid', 'sandbox object', "kind || ' ' || id"],
  handlers: ['seq', 'handler', 'name'],
  forward_targets: ['id', 'forward target', 'id'],
  replay_jobs: ['id', 'replay', 'id'],
  sends: ['seq', 'send', "job_id || '.' || position"],
  check_runs: ['seq', 'handler check', 'id'],
  flow_runs: ['id', 'flow run', 'id'],
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
  for (const [table, [key, noun, name]] of Object.entries(namedTables)) {
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

/** Problems beyond unreadable pages; the first hundred of each kind. */
export interface RowProblems {
  readonly values: readonly string[]
  readonly bodies: readonly string[]
}

const MOST_NAMED = 100

export function findRowProblems(db: Database): RowProblems {
  return {
    values: damagedValues(db)
      .take(MOST_NAMED)
      .map(({ text }) => text)
      .toArray(),
    bodies: damagedBodies(db)
      .take(MOST_NAMED)
      .map(({ id }) => id)
      .toArray(),
  }
}
