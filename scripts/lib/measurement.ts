/**
 * Runs benchmarks, files `test/bench/NAME.bench.ts` that export `name` and `run`, and prints their
 * results.
 */
import { globSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A cell of a table: text, a number, or one number per round, of which the median is printed. */
export type Cell = string | number | readonly number[]

export interface Table {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** Notes on the figures: the promised limit, and whether it is met. */
  readonly notes?: readonly string[]
}

export interface RunOptions {
  readonly progress: (message: string) => void
}

export interface Measurement {
  readonly name: string
  run(options: RunOptions): Promise<readonly Table[]>
}

/** Returns the middle value, or the mean of the two middle values; NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper
}

function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { minimumFractionDigits: 0, maximumFractionDigits: digits })
}

function formatCell(cell: Cell): string {
  if (typeof cell === 'string') return cell
  return formatNumber(typeof cell === 'number' ? cell : median(cell))
}

/** Returns a Markdown table with aligned columns; all but the first are right-aligned. */
export function formatTable({ title, columns, rows, notes = [] }: Table): string {
  const texts = [columns, ...rows.map((row) => row.map(formatCell))]
  const widths = columns.map((_column, index) =>
    Math.max(3, ...texts.map((row) => row[index]?.length ?? 0)),
  )
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, index) => (index === 0 ? (row[index] ?? '').padEnd(width) : (row[index] ?? '').padStart(width))).join(' | ')} |`
  const rule = `| ${widths.map((width, index) => (index === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  const body = [line(columns), rule, ...texts.slice(1).map(line)]
  return [`### ${title}`, '', ...body, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n')
}

function isMeasurement(module: unknown): module is Measurement {
  const { name, run } = module as Partial<Measurement>
  return typeof name === 'string' && typeof run === 'function'
}

async function load(pattern: string): Promise<Measurement[]> {
  const files = globSync(pattern).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const module: unknown = await import(pathToFileURL(resolve(file)).href)
      if (!isMeasurement(module)) throw new Error(`${file} must export a name and a run function.`)
      return module
    }),
  )
}

/**
 * Runs the measurements that match `pattern`. Resolves with the exit code: 2 for wrong usage, 1 for
 * a failure.
 */
export async function runMeasurements(
  pattern: string,
  args: { only?: string | undefined; json?: string | undefined },
) {
  const all = await load(pattern)
  const chosen = args.only === undefined ? all : all.filter(({ name }) => name === args.only)
  if (chosen.length === 0) {
    const names = all.map(({ name }) => name).join(', ')
    console.error(all.length === 0 ? `No measurement matches ${pattern}.` : `Use one of: ${names}.`)
    return 2
  }
  const results: { name: string; tables: readonly Table[] }[] = []
  let failed = 0
  for (const { name, run } of chosen) {
    const progress = (message: string) => console.error(`${name}: ${message}`)
    try {
      const tables = await run({ progress })
      results.push({ name, tables })
      for (const table of tables) console.log(`${formatTable(table)}\n`)
    } catch (error) {
      failed++
      console.error(`${name} failed:`, error)
    }
  }
  if (args.json !== undefined) {
    const machine = { node: process.version, platform: process.platform, arch: process.arch }
    writeFileSync(
      args.json,
      `${JSON.stringify({ at: new Date().toISOString(), machine, results }, null, 2)}\n`,
    )
  }
  return failed === 0 ? 0 : 1
}
